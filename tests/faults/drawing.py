"""Draws plans from seeds."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from tests.faults.plan import (
    DEFERRED,
    END,
    Action,
    Fault,
    Moment,
    Outside,
    Plan,
    ServiceFault,
    StackFault,
    Strike,
)
from tests.faults.points import ANY_WAY, BY_JOB, BY_MESSAGE, FATAL, HOLD, KILL, POINTS, Point
from tests.faults.subject import STEPS, Case, Subject

HOW_MANY = (0, 1, 1, 1, 2, 2, 3)
KINDS = ("strike",) * 9 + ("service",) * 5 + ("action",) * 5 + ("stack",)
PROCESSES = (
    "airflow-scheduler",
    "airflow-triggerer",
    "airflow-api-server",
    "airflow-dag-processor",
    "postgres",
    "store",
    "broker",
)
STACK = (*PROCESSES, "worker", "sessions")
CLEAR, CLEAR_ALONE, CLEAR_RUN = "clear", "clear alone", "clear run"
MARK_TASK, MARK_RUN = "mark failed", "mark run failed"
AGAIN, DELETE, BACKFILL = "trigger again", "delete run", "backfill"
OF_TASK = (CLEAR, CLEAR_ALONE, MARK_TASK)
ACTIONS = (*OF_TASK, CLEAR_RUN, MARK_RUN, AGAIN, DELETE, BACKFILL)
AFTER_END = (CLEAR, CLEAR_ALONE, CLEAR_RUN, AGAIN, BACKFILL)
_JOB = ("answer lost", "away", "job fails", "slow", "result cut", "cancel refused")
SERVICE = {
    "http": (
        "hung_up", "cut_short", "cut_length", "no_last_chunk", "broken_chunk", "cut_gzip",
        "busy", "away", "broken", "login_page", "error_object", "refused",
    ),
    "job": _JOB,
    "callback": (*_JOB, "call first", "call twice", "call contrary", "call late"),
    "message": ("late", "twice", "refuses", "junk", "silent"),
    "drop": ("late", "replaced"),
}  # fmt: skip
FIRST_REQUESTS = 3
UNDOING = "compensate"
LATER = BY_JOB | BY_MESSAGE | {"drop"}


def draw(subjects: Sequence[Subject], seed: int) -> Plan:
    """Draw the plan of a seed for one of some reports."""
    random = Random(seed)  # noqa: S311 - the same for the same seed
    subject = random.choice(subjects)
    case = Case(subject.report, subject.period(seed), random.choice(subject.sizes))
    faults: list[Fault] = []
    for _ in range(random.choice(HOW_MANY)):
        fault = _fault(random, subject)
        if fault is not None and not any(_meet(fault, other) for other in faults):
            faults.append(fault)
    if any(isinstance(fault, Strike) and fault.task == UNDOING for fault in faults):
        faults.append(Strike("compute", "computed", FATAL))  # else there is nothing to undo
    return Plan(seed, case, tuple(faults))


def points_of(subject: Subject, task: str) -> list[Point]:
    """Return the points that a task of the report comes by."""
    way = subject.fetches.get(task)
    if way is None:
        return [point for point in POINTS if point.step == task]
    # A source of which nothing is known comes by what every source does.
    return [p for p in POINTS if p.step == "fetch" and (way in p.ways or p.ways == ANY_WAY)]


def _fault(random: Random, subject: Subject) -> Fault | None:
    match random.choice(KINDS):
        case "strike":
            return _strike(random, subject)
        case "service":
            return _service_fault(random, subject)
        case "action":
            return _action(random, subject)
        case _:
            return _stack_fault(random, subject)


def _strike(random: Random, subject: Subject) -> Strike:
    task = random.choice([*subject.fetches, *STEPS, UNDOING])
    point = random.choice(points_of(subject, task))
    return Strike(task, point.name, random.choice((KILL, KILL, FATAL, *point.errors)))


def _service_fault(random: Random, subject: Subject) -> ServiceFault | None:
    tasks = [task for task, way in subject.fetches.items() if way in SERVICE]
    if not tasks:
        return None
    task = random.choice(tasks)
    what = random.choice(SERVICE[subject.fetches[task]])
    most = FIRST_REQUESTS if subject.fetches[task] == "http" else 1  # the others are asked once
    return ServiceFault(task, what, random.randint(1, most))


def _stack_fault(random: Random, subject: Subject) -> StackFault:
    what, when = random.choice(STACK), _moment(random, subject)
    if what == "worker" and not when.is_held:  # there is none while a task waits
        return StackFault("airflow-triggerer", when)
    return StackFault(what, when)


def _action(random: Random, subject: Subject) -> Action:
    when = _moment(random, subject)
    what = random.choice(ACTIONS)
    if what in AFTER_END and random.random() < 0.3:
        when = Moment("", END)
    if what not in OF_TASK:
        return Action(what, "", when)
    return Action(what, when.task or random.choice([*subject.fetches, *STEPS]), when)


def _moment(random: Random, subject: Subject) -> Moment:
    task = random.choice([*subject.fetches, *STEPS])
    if subject.fetches.get(task) in LATER and random.random() < 0.4:
        return Moment(task, DEFERRED)
    return Moment(task, random.choice(points_of(subject, task)).name)


def _meet(fault: Fault, other: Fault) -> bool:
    """Say whether two faults would be ordered at one place, where there is room for one."""
    if isinstance(fault, ServiceFault) and isinstance(other, ServiceFault):
        return (fault.task, fault.at) == (other.task, other.at)
    return (mine := marker_of(fault)) is not None and mine[:2] == (marker_of(other) or ())[:2]


def marker_of(fault: Fault) -> tuple[str, str, str] | None:
    """Return task, point and what to do there; None where no process is to do anything."""
    if isinstance(fault, Strike):
        return fault.task, fault.point, fault.what
    if isinstance(fault, Outside) and fault.when.is_held:
        return fault.when.task, fault.when.point, HOLD
    return None
