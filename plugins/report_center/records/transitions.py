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


def transitions(
    run: RunRow, steps: Sequence[StepRow], sources: Sequence[str]
) -> tuple[Transition, ...]:
    """Return the states of a run, oldest first; of a task that was tried again its last try counts.

    Args:
        run: the run.
        steps: its tasks.
        sources: source names in their declared order.
    """
    tasks: dict[str, str | None] = {step.name: None for step in steps}
    found: list[Transition] = []
    for at, task, state in sorted(_events(steps), key=lambda event: event[0]):
        tasks[task] = state
        _note(found, state_of("running", tasks, sources), at)
    begun = run.queued_at or run.started_at
    if begun is not None and (not found or begun < found[0].at):
        found.insert(0, Transition("INIT", begun, None))
    if run.is_over and run.ended_at is not None:
        _note(found, run.state, run.ended_at)
    return tuple(_closed(_merged(found)))


def _events(steps: Sequence[StepRow]) -> Iterator[tuple[datetime, str, str | None]]:
    for step in steps:
        if step.queued_at is not None:
            yield step.queued_at, step.name, "queued"
        if step.started_at is not None:
            yield step.started_at, step.name, "running"
        if step.ended_at is not None:
            yield step.ended_at, step.name, step.state


def _note(found: list[Transition], state: str, at: datetime) -> None:
    if not found or found[-1].state != state:
        found.append(Transition(state, at, None))


def _merged(found: Sequence[Transition]) -> list[Transition]:
    """Return the states without one that repeats the one before it."""
    kept: list[Transition] = []
    for one in found:
        _note(kept, one.state, one.at)
    return kept


def _closed(found: Sequence[Transition]) -> Iterator[Transition]:
    for one, after in zip(found, [*found[1:], None], strict=True):
        yield replace(one, until=None if after is None else after.at)
