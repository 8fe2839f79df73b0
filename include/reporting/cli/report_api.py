"""The package's own web routes in Airflow's API server, with the user's login for Airflow."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from reporting.cli.login import airflow_of

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from reporting.core.airflow_api import AirflowApi

ROOT = "/reports/api"
PAGE = 100
LETTERS = "dead-letters"
RELEASES = "releases"
RECONCILIATION = "reconciliation"


def report_api_of(options: argparse.Namespace) -> AirflowApi:
    """Return a client of the package's routes."""
    return replace(airflow_of(options), root=ROOT)


def pages(api: AirflowApi, path: str, items: str, **query: Any) -> Iterator[dict[str, Any]]:
    """Yield the items of a listing, page by page: each goes on at the cursor of the one before."""
    cursor: str | None = None
    while True:
        page = api.get(path, limit=PAGE, cursor=cursor, **query)
        yield from page[items]
        cursor = page["next_cursor"]
        if cursor is None:
            return
