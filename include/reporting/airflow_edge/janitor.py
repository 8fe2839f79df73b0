"""`report_janitor`: the safety net for what no task of a run can do itself.

Airflow does not start `compensate` when a run is marked failed by hand or ends by its time
limit, and nothing runs when `deliver` fails. The janitor finds such runs over Airflow's REST
API, undoes what is left, and runs them again or raises the alarm. All of it is idempotent and safe
beside running reports: a run that was cleared meanwhile is left alone.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from reporting.airflow_edge.connections import airflow_api
from reporting.airflow_edge.failed_runs import (
    FailedRun,
    ListedRun,
    is_still_failed,
    list_failures,
    read_failed_run,
)
from reporting.airflow_edge.faults import Faults
from reporting.airflow_edge.places import places
from reporting.airflow_edge.settling import Undone, alarm_of, announce, is_to_be_told
from reporting.core.deadline import Deadline, ends_in
from reporting.core.saga import clear_up, compensate
from reporting.core.sweep import Sweep
from reporting.core.warehouse.failed_runs import (
    Failure,
    forget_others,
    looks_back_to,
    note_settled,
    note_try,
    unsettled,
)
from reporting.core.warehouse.fence import is_published
from reporting.core.warehouse.ledger import CLOSING_STEP, left_of, read_entries
from reporting.core.warehouse.run_retries import note_sweep
from reporting.core.warehouse.runs import is_open
from reporting.core.warehouse.schema import ensure_schema

if TYPE_CHECKING:
    from airflow.sdk import Context

    from reporting.core.saga import Places
    from reporting.definition.delivery import Alert

log = logging.getLogger(__name__)
LOOK_BACK = timedelta(days=7)
# The task's own limit is ten minutes; one cancel of a request may take two.
UNDOING, WORKING = timedelta(minutes=5), timedelta(minutes=8)
T = TypeVar("T")


@dataclass(frozen=True)
class Handled:
    """A failed run that this sweep has set about.

    Attributes:
        failure: what names it.
        run: what Airflow knows of it.
        outcome: what became of it.
    """

    failure: Failure
    run: FailedRun
    outcome: Undone


@dataclass(frozen=True)
class Round:
    """One sweep over the failed runs.

    Attributes:
        at: where runs leave things; its canceller ends in time.
        context: of the janitor's task.
        alerts: where to write when a report's own alerts are not known.
        undoing: until when runs are undone.
        telling: until when they are run again or told, and which channels do not answer.
        faults: what has gone wrong so far.
        begun: when the sweep began.
    """

    at: Places
    context: Context
    alerts: Sequence[Alert]
    undoing: Deadline
    telling: Sweep
    faults: Faults = field(default_factory=Faults)
    begun: datetime = field(default_factory=lambda: datetime.now(UTC))

    def settle(self, listed: Mapping[Failure, ListedRun]) -> None:
        """Undo all that are not settled, then run them again, then tell of the rest.

        In this order, because a mail server that does not answer must keep neither the claims of
        other runs nor their going on.
        """
        forget_others(self.at.warehouse, list(listed))
        waiting = unsettled(self.at.warehouse, list(listed))
        undone = list(self._undone(listed, waiting))
        untold = list(self._untold(undone))
        for one in self._in_time(self.telling.deadline, untold, "told"):
            with self.faults.noted(_name(one.failure)):
                self._tell(one)

    def _undone(
        self, listed: Mapping[Failure, ListedRun], waiting: Sequence[Failure]
    ) -> Iterator[Handled]:
        api = airflow_api()
        for failure in self._in_time(self.undoing, waiting, "undone"):
            note_try(self.at.warehouse, failure, self.begun)
            with self.faults.noted(_name(failure)):
                run = read_failed_run(api, self.context, failure, listed[failure])
                outcome = None if run is None else _undo(self.at, self.context, run)
                if run is not None and outcome is not None:
                    yield Handled(failure, run, outcome)

    def _untold(self, undone: Sequence[Handled]) -> Iterator[Handled]:
        for one in self._in_time(self.telling.deadline, undone, "run again or told"):
            self.faults.told.extend(f"{_name(one.failure)}: {left}" for left in one.outcome.left)
            with self.faults.noted(_name(one.failure)):
                if is_to_be_told(self.at.warehouse, self.context, one.run, one.outcome):
                    yield one

    def _tell(self, one: Handled) -> None:
        alarm = alarm_of(self.at.warehouse, one.run, one.outcome)
        announce(self.at.warehouse, self.context, self.alerts, alarm, self.telling)
        if not one.outcome.left:
            note_settled(self.at.warehouse, one.failure)

    def _in_time(self, deadline: Deadline, items: Sequence[T], done: str) -> Iterator[T]:
        for number, item in enumerate(items):
            if deadline.is_over():
                left = len(items) - number
                self.faults.told.append(f"{left} failed runs were not {done} in this sweep's time")
                return
            yield item


def sweep_failed_runs(context: Context, alerts: Sequence[Alert]) -> dict[str, int]:
    """Compensate, then run again or announce, every failed run that is not settled yet.

    Args:
        context: of the janitor's task.
        alerts: where to write when a report's own alerts are not known.

    Returns:
        How many failed runs there are.

    Raises:
        TransientError: some could not be settled; the next sweep tries again, and begins with
            those that it was too late for.
    """
    undoing, telling = Sweep(ends_in(UNDOING)), Sweep(ends_in(WORKING))
    with places(undoing) as at:
        ensure_schema(at.warehouse)
        listed = list_failures(airflow_api(), looks_back_to(at.warehouse, LOOK_BACK))
        one_round = Round(at, context, alerts, undoing.deadline, telling)
        one_round.settle(listed)
        note_sweep(at.warehouse)
    one_round.faults.tell()
    return {"failed": len(listed)}


def _name(failure: Failure) -> str:
    return f"{failure.report} {failure.run_id}"


def _undo(at: Places, context: Context, run: FailedRun) -> Undone | None:
    """Compensate one run unless that was done; None when it is not this janitor's business."""
    if is_published(at.warehouse, run.id, run.states):
        return _published(at, context, run)
    entries = read_entries(at.warehouse, run.id)
    is_closed = any(entry.step == CLOSING_STEP for entry in entries)
    # A process that outlived its run may have taken up work after it was undone.
    if not is_closed or is_open(at.warehouse, run.id):
        log.info("Compensating run %s of %s.", run.id.run_id, run.id.report)
        entries = compensate(at, run.id, partial(is_still_failed, context, run.id))
        if not is_still_failed(context, run.id):
            return None
    undone = [entry for entry in entries if entry.step != CLOSING_STEP]
    return Undone(False, undone, left_of(entries))


def _published(at: Places, context: Context, run: FailedRun) -> Undone | None:
    """Undo what is no part of the figures; the alarm does not wait."""
    for entry in clear_up(at, run.id, partial(is_still_failed, context, run.id)):
        level = logging.INFO if entry.is_done else logging.WARNING
        log.log(level, "Undo %s: %s", entry.step, entry.outcome)
    return Undone(published=True, entries=()) if is_still_failed(context, run.id) else None
