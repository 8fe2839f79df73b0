"""`report_janitor`: the safety net for what no task of a run can do itself.

Airflow does not start `compensate` when a run is marked failed by hand or ends by its time
limit, and nothing runs when `deliver` fails. The janitor finds such runs over Airflow's REST
API, undoes what is left, raises the alarm, and removes staged data past its time. All of it is
idempotent and safe beside running reports.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from reporting.airflow_edge.alarm import Alarm, raise_alarm
from reporting.airflow_edge.connections import airflow_api, places
from reporting.airflow_edge.run_context import UNDER_WAY, clear_number_of, is_run_in
from reporting.core.airflow_api import EVERY_DAG, AirflowApi
from reporting.core.airflow_names import TAG
from reporting.core.run import RunId
from reporting.core.saga import compensate, discard_expired
from reporting.core.warehouse.ledger import CLOSING_STEP, Entry, read_entries
from reporting.core.warehouse.release import find_release
from reporting.core.warehouse.reports import alerts_of
from reporting.core.warehouse.runs import expired_runs, find_staged, open_runs
from reporting.core.warehouse.schema import ensure_schema
from reporting.errors import TransientError

if TYPE_CHECKING:
    from airflow.sdk import Context

    from reporting.core.saga import Places
    from reporting.definition.delivery import Alert

log = logging.getLogger(__name__)
LOOK_BACK = timedelta(days=7)
# A task of a run marked failed by hand is killed within seconds; until then it could still write.
SETTLE_AFTER = timedelta(seconds=20)


@dataclass(frozen=True)
class FailedRun:
    """A failed run as Airflow's API tells it.

    Attributes:
        id: which run.
        title: title of its report.
        asked_period: the param `period`, if one was given.
    """

    id: RunId
    title: str
    asked_period: str | None


def sweep_failed_runs(context: Context, alerts: Sequence[Alert]) -> dict[str, int]:
    """Compensate and announce every failed run that is not settled yet.

    Args:
        context: of the janitor's task.
        alerts: where to write when a report's own alerts are not known.

    Returns:
        How many runs were looked at and settled.

    Raises:
        TransientError: some could not be settled; the next sweep tries again.
    """
    api = airflow_api()
    settled, faults = 0, []
    with places() as at:
        ensure_schema(at.warehouse)
        runs = list(failed_runs(api))
        for run in runs:
            fault = _settle(at, api, context, alerts, run)
            settled += fault is None
            faults += [f"{run.id.report} {run.id.run_id}: {fault}"] if fault else []
    if faults:
        raise TransientError("; ".join(faults))
    return {"failed": len(runs), "settled": settled}


def settle_vanished_runs(context: Context) -> dict[str, int]:
    """Compensate runs that ended without publishing and left no failed run to find.

    Such are runs that were deleted while they worked, and runs marked as success by hand.

    Returns:
        How many there were.
    """
    ti: Any = context["ti"]
    with places() as at:
        ensure_schema(at.warehouse)
        found = [RunId(run.report, run.run_id) for run in open_runs(at.warehouse)]
        gone = [run for run in found if not is_run_in(ti, run, (*UNDER_WAY, "failed"))]
        for run in gone:
            log.info("Run %s of %s has vanished; undoing it.", run.run_id, run.report)
            compensate(at, run)
    return {"vanished": len(gone)}


def remove_expired_staging() -> dict[str, int]:
    """Remove staged data past its time; return how many runs and objects."""
    with places() as at:
        ensure_schema(at.warehouse)
        runs = [RunId(run.report, run.run_id) for run in expired_runs(at.warehouse)]
        objects = sum(discard_expired(at, run) for run in runs)
    return {"runs": len(runs), "objects": objects}


def failed_runs(api: AirflowApi) -> Iterator[FailedRun]:
    """Yield the failed runs of all reports that ended within `LOOK_BACK`."""
    titles = {
        dag["dag_id"]: dag["dag_display_name"] for dag in api.pages("dags", "dags", tags=[TAG])
    }
    now = datetime.now(UTC)
    ended = {
        "end_date_gte": (now - LOOK_BACK).isoformat(),
        "end_date_lte": (now - SETTLE_AFTER).isoformat(),
    }
    for run in api.pages(f"dags/{EVERY_DAG}/dagRuns", "dag_runs", state="failed", **ended):
        dag_id, run_id = run["dag_id"], run["dag_run_id"]
        if dag_id in titles:
            asked = (run["conf"] or {}).get("period")
            identity = RunId(dag_id, run_id, clear_number_of(dag_id, run_id))
            yield FailedRun(identity, titles[dag_id], asked)


def _settle(
    at: Places, api: AirflowApi, context: Context, alerts: Sequence[Alert], run: FailedRun
) -> str | None:
    """Compensate and announce one run; return what could not be done."""
    published = find_release(at.warehouse, run.id) is not None
    entries = [] if published else _undo(at, run.id)
    if left := [entry for entry in entries if not entry.is_done]:
        return "; ".join(f"undo {entry.step}: {entry.outcome}" for entry in left)
    staged = find_staged(at.warehouse, run.id)
    alarm = Alarm(
        title=run.title,
        run=run.id,
        period=staged.period if staged else run.asked_period or "unknown",
        states=api.task_states(run.id.report, run.id.run_id),
        undone=entries,
        published=published,
    )
    known = alerts_of(at.warehouse, run.id.report)
    unsent = raise_alarm(at.warehouse, context, alerts if known is None else known, alarm)
    return "; ".join(f"alert by {who}: {why}" for who, why in unsent.items()) or None


def _undo(at: Places, run: RunId) -> list[Entry]:
    entries = read_entries(at.warehouse, run)
    if any(entry.step == CLOSING_STEP for entry in entries):
        return [entry for entry in entries if entry.step != CLOSING_STEP]
    log.info("Compensating run %s of %s.", run.run_id, run.report)
    return compensate(at, run)
