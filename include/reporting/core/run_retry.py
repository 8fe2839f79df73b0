"""Whether a failed run is run again as a whole (R14): the rules, without anything they look at."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from reporting.core.states import (
    AWAIT,
    COMPUTE,
    FETCH_PREFIX,
    INIT,
    STORE,
    TaskStates,
    fetch_task,
)

# So long the janitor may be late or refused; then a person is told instead.
PATIENCE = timedelta(hours=1)
PUBLISHED = "its figures were published"
PUBLISHED_SINCE = "another run has published its period since"
BY_HAND = "a person marked it, or one of its tasks, in Airflow"
OUT_OF_TIME = "it was ended by hand or by its time limit"
TOO_LATE = f"it could not be started within {PATIENCE.seconds // 60} minutes of its time"
TOLD = "its failure was told before"
LEFT = "not all that it left could be undone"
JANITOR_AWAY = f"report_janitor has not been at work for {PATIENCE.seconds // 60} minutes"


@dataclass(frozen=True)
class Policy:
    """What a report says about running again.

    Attributes:
        times: further runs after the first.
        after: pause before each.
        on: name of the class every failure must be of.
    """

    times: int
    after: timedelta
    on: str


@dataclass(frozen=True)
class FailedLife:
    """What is known of a life of a run that has failed.

    Attributes:
        causes: names of the classes of its error, per task that broke the run; none when the task
            was killed.
        goes: how often the janitor has run it again before this life.
        against: what else speaks against it, in words.
    """

    causes: Mapping[str, Sequence[str]]
    goes: int
    against: str | None = None


@dataclass(frozen=True)
class Plan:
    """What was decided about a failed life of a run.

    Attributes:
        goes: how often it had been run again before.
        times: how often it may be.
        due_at: when it is run again, if nothing comes between.
        given_up: why it is not run again; None while it is to be.
    """

    goes: int
    times: int
    due_at: datetime
    given_up: str | None

    @property
    def text(self) -> str:
        """The plan as an alert and the command line tell it."""
        if self.given_up is None:
            due = self.due_at.astimezone(UTC)
            return f"{self.goes + 1} of {self.times} times, next at {due:%Y-%m-%d %H:%M %Z}"
        done = f"{self.goes} of {self.times} times"
        return done if self.goes >= self.times else f"{done}, not once more: {self.given_up}"


def causes_of(states: TaskStates, optional: Collection[str] = ()) -> list[str]:
    """Return the failed tasks that broke the run, without those that failed because of them.

    Args:
        states: Airflow's state per task id.
        optional: sources the run can go on without.
    """
    spared = {fetch_task(source) for source in optional}
    failed = [task for task, state in states.items() if state == "failed" and task not in spared]
    fetches = sorted(task for task in failed if task.startswith(FETCH_PREFIX))
    return fetches or [task for task in (INIT, AWAIT, COMPUTE, STORE) if task in failed]


def reason_against(policy: Policy, life: FailedLife) -> str | None:
    """Return why the run is not run again, or None when it is."""
    if life.against is not None:
        return life.against
    if not life.causes:
        return OUT_OF_TIME
    for task, classes in life.causes.items():
        if policy.on not in classes:
            what = f"{classes[0]}, not {policy.on}" if classes else "no error of its own"
            return f"{task} failed with {what}"
    if life.goes >= policy.times:
        return "all its runs are used up"
    return None


def plan_of(policy: Policy, life: FailedLife, ended_at: datetime) -> Plan:
    """Decide about a life that failed at `ended_at`."""
    return Plan(life.goes, policy.times, ended_at + policy.after, reason_against(policy, life))


def is_too_late(plan: Plan, now: datetime) -> bool:
    """Say whether the run could not be started for too long after it was due."""
    return now > plan.due_at + PATIENCE
