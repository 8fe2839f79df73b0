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
_NAMED = re.compile(r"[Cc]lear (fetch_[a-z0-9_]+|await_sources|compute|store)\b")


def rerun_lines(failure: Failure) -> list[str]:
    """Return what to do and the command that does it."""
    start = f"{failure.command} trigger {failure.report}"
    if failure.step is None and not unended(failure.states):
        period = f" --period {failure.period}" if _PERIOD.match(failure.period) else ""
        return [
            "To run it again, with the same params if it had any:",
            f"  {start}{period} --refresh",
        ]
    if failure.step == INIT and (failure.reason or "").startswith(InputError.__name__):
        example = f"{start} --period PERIOD --param NAME=VALUE"
        return ["To run it again, with an allowed value:", f"  {example}"]
    command = clear_command(failure.command, failure.report, failure.run_id, to_clear(failure))
    return [
        "To run it again: mend the cause, then",
        f"  {command}",
        "  (or clear the same with its downstream tasks in Airflow).",
    ]


def to_clear(failure: Failure) -> list[str]:
    """Return the tasks whose work is missing; the failed step itself may only have noticed it."""
    if failure.step is None:
        return unended(failure.states)
    step, reason = failure.step, failure.reason or ""
    if step == AWAIT and (lost := _LOST.findall(reason)):
        return [fetch_task(source) for source in lost]
    if step.startswith(FETCH_PREFIX):
        return [step, *(task for task in failure.others if task.startswith(FETCH_PREFIX))]
    return list(dict.fromkeys(_NAMED.findall(reason))) or [step]


def unended(states: TaskStates) -> list[str]:
    """Return the first tasks, in the order of the work, that did not succeed; none if unknown."""
    fetches = sorted(task for task in states if task.startswith(FETCH_PREFIX))
    waited = states.get(AWAIT) == "success"  # then without the fetches that are missing
    stages = [[INIT], [] if waited else fetches, [AWAIT], [COMPUTE], [STORE], [DELIVER]]
    left = ([t for t in tasks if t in states and states[t] != "success"] for tasks in stages)
    return next(filter(None, left), [])


def clear_command(command: str, report: str, run_id: str, tasks: Sequence[str]) -> str:
    """Return the command that clears tasks with all that comes after them."""
    return " ".join([command, "clear", report, quote(run_id), *tasks])
