"""Runs a failed run again, in place, when its plan says so and it is due (R14).

The plan is held while the run is cleared, and noted as begun before. A failure whose run cannot be
started within an hour of its time is told.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from reporting.airflow_edge.marks import marks_of
from reporting.airflow_edge.step_end import FOR_METRICS, emit
from reporting.core.airflow_api import run_path
from reporting.core.notices import Door
from reporting.core.run_retry import BY_HAND, PUBLISHED_SINCE, TOO_LATE, Plan, is_too_late
from reporting.core.step_end import AGAIN, Metric
from reporting.core.warehouse.run_retries import (
    beginning,
    find_plan,
    give_up,
    is_published_since,
)

if TYPE_CHECKING:
    import psycopg

    from reporting.core.airflow_api import AirflowApi
    from reporting.core.run import RunId

log = logging.getLogger(__name__)
NOTE = "Run again by report_janitor: "


def is_run_again(
    connection: psycopg.Connection[Any],
    api: AirflowApi,
    run: RunId,
    is_still_failed: Callable[[], bool],
) -> bool:
    """Start a failed run again when its plan says so and it is due.

    Args:
        connection: to the warehouse.
        api: Airflow's API, as the user in whose name runs are cleared.
        run: which life of the run.
        is_still_failed: asked just before; a run that was cleared meanwhile is left alone.

    Returns:
        Whether the failure is left to the plan; if not it is to be told.
    """
    plan, now = find_plan(connection, run), datetime.now(UTC)
    if plan is None or plan.given_up is not None:
        return False
    if why := _change_of_mind(connection, api, run, plan, now):
        log.info("Run %s of %s is not run again: %s.", run.run_id, run.report, why)
        give_up(connection, run, why)
        return False
    if now >= plan.due_at:
        _start(connection, api, run, plan, is_still_failed)
    return True


def _change_of_mind(
    connection: psycopg.Connection[Any], api: AirflowApi, run: RunId, plan: Plan, now: datetime
) -> str | None:
    """Return what has come between, or None; being too late needs no answer of Airflow's."""
    if is_too_late(plan, now):
        return TOO_LATE
    if is_published_since(connection, run):
        return PUBLISHED_SINCE
    return BY_HAND if any(marks_of(api, run)) else None


def _start(
    connection: psycopg.Connection[Any],
    api: AirflowApi,
    run: RunId,
    plan: Plan,
    is_still_failed: Callable[[], bool],
) -> None:
    """Clear the whole run, as the button in Airflow does; a report that is off is waited for."""
    dag = api.get(f"dags/{run.report}")
    if dag["is_paused"] or dag["is_stale"]:
        log.warning("Report %s is switched off or gone; %s waits.", run.report, run.run_id)
        return
    with beginning(connection, run) as stands:
        if not stands or not is_still_failed():
            return
        log.info("Running %s of %s again, %s.", run.run_id, run.report, plan.text)
        whole = {"dry_run": False, "only_failed": False, "note": _note(api, run, plan)}
        api.post(f"{run_path(run.report, run.run_id)}/clear", whole)
    _count(run.report)


def _note(api: AirflowApi, run: RunId, plan: Plan) -> str:
    """Return the run's note; what a person has written stays."""
    written = api.run(run.report, run.run_id).get("note")
    ours = f"{NOTE}{plan.goes + 1} of {plan.times} times."
    return ours if not written or str(written).startswith(NOTE) else str(written)


def _count(report: str) -> None:
    metrics = Door[Metric](emit)
    metrics.tell(Metric(AGAIN, "count", 1, {"report": report}))
    metrics.close(FOR_METRICS)
