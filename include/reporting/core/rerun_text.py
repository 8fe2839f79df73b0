"""How to run a failed run again: which tasks to clear, or that it is to be triggered anew."""

from __future__ import annotations

import re
from collections.abc import Sequence
from shlex import quote
from typing import TYPE_CHECKING

from reporting.core.states import (
    AWAIT,
    COMPUTE,
    DELIVER,
    FETCH_PREFIX,
    INIT,
    STORE,
    TaskStates,
    fetch_task,
)
from reporting.errors import InputError

if TYPE_CHECKING:
    from reporting.core.alert_text import Failure

_PERIOD = re.compile(r"\d{4}-\d{2}(-\d{2})?\Z")
# What `await_sources` says of lost sources, and what a step says whose input is gone.
_LOST = re.compile(r"(?:\b(?:Required s|S)ource |; )([a-z][a-z0-9_]*): ")
# What it says of sources whose fetch succeeded, and is of no use all the same.
_OF_NO_USE = re.compile(r"\d+ rows; at least|its fetch succeeded")
_NAMED = re.compile(r"[Cc]lear (fetch_[a-z0-9_]+|await_sources|compute|store)\b")
_REFUSED = re.compile(r"Param '(?!period')([^']+)' is (?!unknown)")


def rerun_lines(failure: Failure) -> list[str]:
    """Return what to do and the command that does it."""
    start = f"{failure.command} trigger {failure.report}"
    if failure.step is None and not unended(failure.states):
        period = f" --period {failure.period}" if _PERIOD.match(failure.period) else ""
        return [
            "To run it again, with the same params if it had any:",
            f"  {start}{period} --refresh",
        ]
    if _is_refused(failure):
        named = _REFUSED.search(failure.reason or "")
        param = f" --param {named[1]}=VALUE" if named else ""
        return ["To run it again, with an allowed value:", f"  {start} --period PERIOD{param}"]
    command = clear_command(failure.command, failure.report, failure.run_id, to_clear(failure))
    return [
        "To run it again: mend the cause, then",
        f"  {command}",
        "  (or clear the same with its downstream tasks in Airflow).",
    ]


def needs_clear(failure: Failure) -> bool:
    """Say whether tasks of the run are to be cleared; else the report is to be triggered anew."""
    if failure.step is None:
        return bool(unended(failure.states))
    return not _is_refused(failure)


def _is_refused(failure: Failure) -> bool:
    return failure.step == INIT and (failure.reason or "").startswith(InputError.__name__)


def to_clear(failure: Failure) -> list[str]:
    """Return the tasks whose work is missing; the failed step itself may only have noticed it."""
    if failure.step is None:
        return unended(failure.states)
    step, reason = failure.step, failure.reason or ""
    if step == AWAIT:
        return _lost(reason, failure.states) or unended_fetches(failure.states) or [step]
    if step.startswith(FETCH_PREFIX):
        others = [task for task in failure.others if task.startswith(FETCH_PREFIX)]
        return list(dict.fromkeys([step, *others, *unended_fetches(failure.states)]))
    return list(dict.fromkeys(_NAMED.findall(reason))) or [step]


def _lost(reason: str, states: TaskStates) -> list[str]:
    """Return the fetches of the sources that `await_sources` has found lost, and are so still."""
    faults = {fetch_task(one[1]): reason[one.end() :] for one in _LOST.finditer(reason)}
    return [
        task
        for task, fault in faults.items()
        # What is no task of the run is a word of somebody's error.
        if (not states or task in states)
        and (states.get(task) != "success" or _OF_NO_USE.match(fault))
    ]


def unended(states: TaskStates) -> list[str]:
    """Return the first tasks, in the order of the work, that did not succeed; none if unknown."""
    waited = states.get(AWAIT) == "success"  # then without the fetches that are missing
    fetches = [] if waited else unended_fetches(states)
    stages = [[INIT], fetches, [AWAIT], [COMPUTE], [STORE], [DELIVER]]
    left = ([t for t in tasks if t in states and states[t] != "success"] for tasks in stages)
    return next(filter(None, left), [])


def unended_fetches(states: TaskStates) -> list[str]:
    """Return the fetches that did not succeed."""
    fetches = sorted(task for task in states if task.startswith(FETCH_PREFIX))
    return [task for task in fetches if states[task] != "success"]


def clear_command(command: str, report: str, run_id: str, tasks: Sequence[str]) -> str:
    """Return the command that clears tasks with all that comes after them."""
    return " ".join([command, "clear", report, quote(run_id), *tasks])
