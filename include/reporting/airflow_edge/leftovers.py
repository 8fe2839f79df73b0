"""What ended runs leave that no failed run accounts for: the janitor removes it."""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

from reporting.airflow_edge.faults import Faults
from reporting.airflow_edge.places import places
from reporting.airflow_edge.run_context import UNDER_WAY, dag_run_of, identity_of, is_run_in
from reporting.core.run import RunId
from reporting.core.saga import compensate, discard_expired
from reporting.core.warehouse.ledger import left_of
from reporting.core.warehouse.runs import expired_runs, open_runs
from reporting.core.warehouse.schema import ensure_schema

if TYPE_CHECKING:
    from airflow.sdk import Context

    from reporting.core.saga import Places

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
    gone, faults = 0, Faults()
    with places() as at:
        ensure_schema(at.warehouse)
        for staged in open_runs(at.warehouse):
            run = RunId(staged.report, staged.run_id)
            with faults.noted(_name(run)):
                if _has_vanished(context, run):
                    faults.told.extend(_undo(at, context, run))
                    gone += 1
    faults.tell()
    return {"vanished": gone}


def remove_expired_staging(context: Context) -> dict[str, int]:
    """Remove staged data past its time; return of how many runs, and how many objects.

    Raises:
        TransientError: of some runs it could not be removed; the next sweep tries again.
    """
    faults, removed = Faults(), []
    with places() as at:
        ensure_schema(at.warehouse)
        for staged in expired_runs(at.warehouse):
            run = RunId(staged.report, staged.run_id)
            has_ended = partial(_has_ended, context, run)
            with faults.noted(_name(run)):
                removed.append(discard_expired(at, run, datetime.now(UTC), has_ended))
    faults.tell()
    counts = [count for count in removed if count is not None]
    return {"runs": len(counts), "objects": sum(counts)}


def _undo(at: Places, context: Context, run: RunId) -> list[str]:
    """Undo a run that works no more; return what is left of it."""
    log.info("Run %s of %s works no more; undoing it.", run.run_id, run.report)
    found = dag_run_of(context["ti"], run)
    present = identity_of(found) if found is not None else run
    entries = compensate(at, present, partial(_has_vanished, context, run))
    return [f"{_name(run)}: {left}" for left in left_of(entries)]


def _name(run: RunId) -> str:
    return f"{run.report} {run.run_id}"


def _has_ended(context: Context, run: RunId) -> bool:
    return not is_run_in(context["ti"], run, UNDER_WAY)


def _has_vanished(context: Context, run: RunId) -> bool:
    # A failed run is compensated, and told of, by the sweep of failed runs.
    return not is_run_in(context["ti"], run, (*UNDER_WAY, "failed"))
