"""What every working step does first: hold the claim, and note that the run stages data.

A step that is cleared without `init` holds and notes too, so that what it leaves is found.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from reporting.airflow_edge.run_context import UNDER_WAY, is_run_in
from reporting.core.run import RunId
from reporting.core.warehouse.claim import hold_claim
from reporting.core.warehouse.runs import register_staging

if TYPE_CHECKING:
    from collections.abc import Callable

    import psycopg
    from airflow.sdk import Context

    from reporting.core.run import Run
    from reporting.definition.report import Report

log = logging.getLogger(__name__)


def hold(connection: psycopg.Connection[Any], report: Report, run: Run, context: Context) -> None:
    """Hold the claim for the step.

    Raises:
        ClaimError: another run works on the same request.
    """
    hold_claim(connection, run, has_ended(report.name, context))
    register_staging(connection, run, report.keep_staging)


def has_ended(report: str, context: Context) -> Callable[[str], bool]:
    """Return what says of a run id of the report whether that run has ended or is gone."""
    ti: Any = context["ti"]

    def ended(run_id: str) -> bool:
        is_over = not is_run_in(ti, RunId(report, run_id), UNDER_WAY)
        if is_over:
            log.warning("Run %s has ended and still holds the claim; taking it over.", run_id)
        return is_over

    return ended
