"""Reconciliation on this Airflow: once a day by the janitor, and whenever somebody asks."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING

from reporting.airflow_edge.connections import broker
from reporting.airflow_edge.places import places
from reporting.airflow_edge.reconciliation_alerts import tell
from reporting.airflow_edge.run_context import dag_run_of
from reporting.airflow_edge.run_standing import standing_in
from reporting.core.deadline import ends_in
from reporting.core.reconcile.difference import Scope
from reporting.core.reconcile.history import is_due, note_pass
from reporting.core.reconcile.installation import Installation
from reporting.core.reconcile.passes import reconcile, repair
from reporting.core.sweep import Sweep
from reporting.core.warehouse.schema import ensure_schema
from reporting.errors import TransientError

if TYPE_CHECKING:
    from airflow.sdk import Context

    from reporting.core.reconcile.difference import Difference
    from reporting.core.reconcile.installation import Standing
    from reporting.core.run import RunId
    from reporting.definition.delivery import Alert

log = logging.getLogger(__name__)
# Meanwhile no sweep settles failed runs: there is one run of the janitor at a time.
COMPARING, WORKING = timedelta(minutes=3), timedelta(minutes=4)


@contextmanager
def installation(
    standing_of: Callable[[RunId], Standing | None], sweep: Sweep | None = None
) -> Iterator[Installation]:
    """Open everything that is compared, for the block.

    Args:
        standing_of: asks Airflow of a run.
        sweep: remembers the services that do not answer; without it the block is one sweep.
    """
    with places(sweep) as at:
        ensure_schema(at.warehouse)
        yield Installation(at, standing_of, broker)


def reconcile_daily(context: Context, alerts: Sequence[Alert]) -> dict[str, int]:
    """Compare everything once a day, repair what rules allow, and tell of the rest once.

    Args:
        context: of the janitor's task.
        alerts: whom to tell of what belongs to no known report.

    Returns:
        How many differences there were, how many were repaired, and how many things could not
        be looked at, repaired or told; nothing when it is not due.

    Raises:
        TransientError: something could not, or its time was over; it is tried again in an hour.
    """

    def standing_of(run: RunId) -> Standing | None:
        found = dag_run_of(context["ti"], run)
        return None if found is None else standing_in(found)

    sweep = Sweep(ends_in(WORKING))
    with installation(standing_of, sweep) as here:
        return _passed(here, alerts, sweep) if is_due(here.places.warehouse) else {}


def _passed(here: Installation, alerts: Sequence[Alert], sweep: Sweep) -> dict[str, int]:
    scope = Scope()
    found = reconcile(here, scope, ends_in(COMPARING))
    _log(found.differences)
    done = repair(here, scope, found.differences, sweep.deadline)
    left = [one for one in found.differences if not one.is_repairable]
    unsent = tell(here.places.warehouse, alerts, left, Sweep())
    faults = [*found.unseen, *done.unseen, *unsent]
    counts = {"differences": len(found.differences), "repaired": len(done.differences)}
    counts["unseen"] = len(faults)
    note_pass(here.places.warehouse, found.differences, done.differences, len(faults))
    log.info("Reconciled: %s", counts)
    if faults:
        raise TransientError("; ".join(faults))
    return counts


def _log(differences: Sequence[Difference]) -> None:
    for one in differences:
        words = (one.kind, one.report, one.run_id, one.what, one.expected, one.found, one.rule)
        log.warning("%s: %s, run %s: %s: expected %s, found %s (%s).", *words)
