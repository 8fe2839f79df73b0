"""Every way in which a run can end, at every step: what is done, and what must come of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tests.faults.drawing import CLEAR, DELETE, MARK_RUN, MARK_TASK
from tests.faults.plan import Action, Fault, Moment, Plan, Strike
from tests.faults.points import FATAL, HOLD, KILL
from tests.faults.subject import Case, Subject

PLAIN, HURRIED, BRIEF = "chaos_tables", "chaos_hurried", "chaos_brief"
SUCCESS, FAILED, GONE = "success", "failed", "gone"
FIRST_SEED = 8000  # so that no period is one of a drawn plan
PLACES = {
    "`init`": ("init", "claimed"),
    "`fetch`": ("fetch_orders", "part"),
    "`compute`": ("compute", "computed"),
    "`store`, before the commit": ("store", "loaded"),
    "`store`, after the commit": ("store", "published"),
    "`deliver`": ("deliver", "delivering"),
}
# A step is tried three times; it passes these points in this order.
ALL_TRIES = {
    "`fetch`": ("held", "part", "before-commit"),
    "`compute`": ("computed", "table-part", "persisted"),
    "`store`, before the commit": ("files", "loaded", "publishing"),
}
PUBLISHED = ("`store`, after the commit", "`deliver`")


@dataclass(frozen=True)
class Ending:
    """One cell of the matrix.

    Attributes:
        how: what ends the step.
        step: which step, and where in it.
        faults: what is done.
        state: of the run, at last.
        report: which of the harness's reports.
    """

    how: str
    step: str
    faults: tuple[Fault, ...]
    state: str
    report: str = PLAIN

    @property
    def is_published(self) -> bool:
        """Whether readers have the figures afterwards."""
        return self.state == SUCCESS or self.step in PUBLISHED


def endings() -> list[Ending]:
    """Return all cells."""
    return [*_by_itself(), *_each_try(), *_over_time(), *_by_hand()]


def plan_of(number: int, ending: Ending) -> Plan:
    """Return the plan of a cell, with a period of its own."""
    seed = FIRST_SEED + number
    return Plan(
        seed, Case(ending.report, Subject(ending.report, {}).period(seed), 7), ending.faults
    )


def _by_itself() -> Iterator[Ending]:
    for step, (task, point) in PLACES.items():
        yield Ending("an error that is for good", step, (Strike(task, point, FATAL),), FAILED)
        yield Ending("`kill -9`, once", step, (Strike(task, point, KILL),), SUCCESS)


def _each_try() -> Iterator[Ending]:
    for step, points in ALL_TRIES.items():
        task = PLACES[step][0]
        kills = tuple(Strike(task, point, KILL) for point in points)
        yield Ending("`kill -9`, at every try", step, kills, FAILED)


def _over_time() -> Iterator[Ending]:
    for step in ALL_TRIES:
        task, point = PLACES[step]
        held = (Strike(task, point, HOLD),)
        yield Ending("over the limit of the step, once", step, held, SUCCESS, HURRIED)
        yield Ending("over the limit of the run", step, held, FAILED, BRIEF)


def _by_hand() -> Iterator[Ending]:
    for step, (task, point) in PLACES.items():
        when = Moment(task, point)
        yield Ending("the task marked failed", step, (Action(MARK_TASK, task, when),), FAILED)
        yield Ending("the run marked failed", step, (Action(MARK_RUN, "", when),), FAILED)
        yield Ending("cleared while it runs", step, (Action(CLEAR, task, when),), SUCCESS)
        yield Ending("the run deleted", step, (Action(DELETE, "", when),), GONE)
