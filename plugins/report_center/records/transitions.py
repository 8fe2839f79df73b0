"""The states a run has gone through, with their times: its tasks' times, played again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from reporting.core.states import state_of

if TYPE_CHECKING:
    from report_center.records.run import StepRow
    from report_center.records.runs import RunRow

REMOVED = "removed"  # an earlier version of the DAG had the task


@dataclass(frozen=True)
class Transition:
    """One state of the run.

    Attributes:
        state: the state of R3.
        at: when it was reached.
        until: when it was left; None for the state it is in.
    """

    state: str
    at: datetime
    until: datetime | None


@dataclass(frozen=True)
class Way:
    """The states of a run, oldest first.

    Attributes:
        kept: those it passed in an earlier life, by steps that were not run again.
        own: those of this life; the first is where it began.
    """

    kept: tuple[str, ...]
    own: tuple[Transition, ...]


def way_of(run: RunRow, steps: Sequence[StepRow], sources: Sequence[str]) -> Way:
    """Return the states of a run; of a task that was tried again its last try counts.

    Args:
        run: the run.
        steps: its tasks, with the times of their own work only.
        sources: source names in their declared order.
    """
    # Airflow puts a run in line anew when it clears it, so all that is older was kept.
    begun = run.queued_at or run.started_at
    played = list(_played(steps, sources))
    earlier = [state for at, state in played if begun is not None and at < begun]
    found: list[Transition] = []
    if begun is not None:
        _note(found, earlier[-1] if earlier else "INIT", begun)
    for at, state in played[len(earlier) :]:
        _note(found, state, at)
    if run.is_over and run.ended_at is not None:
        _note(found, run.state, run.ended_at)
    kept = dict.fromkeys(state for state in earlier if state != earlier[-1])
    return Way(tuple(kept), tuple(_closed(found)))


def _played(steps: Sequence[StepRow], sources: Sequence[str]) -> Iterator[tuple[datetime, str]]:
    """Yield the state of the run after each thing that happened to a task."""
    tasks = {step.name: REMOVED if step.state == REMOVED else None for step in steps}
    for at, task, state in sorted(_events(steps), key=lambda event: event[0]):
        tasks[task] = state
        yield at, state_of("running", tasks, sources)


def _events(steps: Sequence[StepRow]) -> Iterator[tuple[datetime, str, str | None]]:
    for step in steps:
        if step.state == REMOVED:
            continue
        if step.queued_at is not None:
            yield step.queued_at, step.name, "queued"
        if step.started_at is not None:
            yield step.started_at, step.name, "running"
        if step.ended_at is not None:
            yield step.ended_at, step.name, step.state


def _note(found: list[Transition], state: str, at: datetime) -> None:
    if not found or found[-1].state != state:
        found.append(Transition(state, at, None))


def _closed(found: Sequence[Transition]) -> Iterator[Transition]:
    for one, after in zip(found, [*found[1:], None], strict=True):
        yield replace(one, until=None if after is None else after.at)
