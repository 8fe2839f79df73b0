"""What ended runs leave that no failed run accounts for: the janitor removes it."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from reporting.airflow_edge.places import places
from reporting.airflow_edge.run_context import UNDER_WAY, dag_run_of, identity_of, is_run_in
from reporting.core.run import RunId
from reporting.core.saga import compensate, discard_expired
from reporting.core.warehouse.runs import expired_runs, open_runs
from reporting.core.warehouse.schema import ensure_schema
from reporting.errors import ReportError, TransientError

if TYPE_CHECKING:
    from airflow.sdk import Context

log = logging.getLogger(__name__)


def settle_vanished_runs(context: Context) -> dict[str, int]:
    """Compensate runs that ended without publishing and left no failed run to find.

    Such are runs that were deleted while they worked, runs marked as success by hand, and green
    runs of which a single early task was cleared.

    Returns:
        How many there were.

    Raises:
        TransientError: something of some is left; the next sweep tries again.
    """
    gone, faults = 0, []
    with places() as at:
        ensure_schema(at.warehouse)
        for staged in open_runs(at.warehouse):
            run = RunId(staged.report, staged.run_id)
            if _has_vanished(context, run):
                log.info("Run %s of %s works no more; undoing it.", run.run_id, run.report)
                found = dag_run_of(context["ti"], run)
                entries = compensate(at, identity_of(found) if found is not None else run)
                faults += [_told(run, e.outcome) for e in entries if not e.is_done]
                gone += 1
    if faults:
        raise TransientError("; ".join(faults))
    return {"vanished": gone}


def remove_expired_staging() -> dict[str, int]:
    """Remove staged data past its time; return how many runs and objects.

    Raises:
        TransientError: a service does not take back what some run has asked; its data is kept.
    """
    faults, objects = [], 0
    with places() as at:
        ensure_schema(at.warehouse)
        runs = [RunId(run.report, run.run_id) for run in expired_runs(at.warehouse)]
        for run in runs:
            try:
                objects += discard_expired(at, run)
            except ReportError as error:
                faults.append(_told(run, str(error)))
    if faults:
        raise TransientError("; ".join(faults))
    return {"runs": len(runs), "objects": objects}


def _told(run: RunId, fault: str) -> str:
    return f"{run.report} {run.run_id}: {fault}"


def _has_vanished(context: Context, run: RunId) -> bool:
    # A failed run is compensated, and told of, by the sweep of failed runs.
    return not is_run_in(context["ti"], run, (*UNDER_WAY, "failed"))
