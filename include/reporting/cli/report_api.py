"""The package's own web routes in Airflow's API server, with the user's login for Airflow."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from reporting.cli.login import airflow_of

if TYPE_CHECKING:
    import argparse

    from reporting.core.airflow_api import AirflowApi

ROOT = "/reports/api"
LETTERS = "dead-letters"
RECONCILIATION = "reconciliation"


def report_api_of(options: argparse.Namespace) -> AirflowApi:
    """Return a client of the package's routes."""
    return replace(airflow_of(options), root=ROOT)
