"""What stands above a task that is cleared: without it the task fails at once, once more."""

from __future__ import annotations

from collections.abc import Collection, Iterator

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

ABOVE = {COMPUTE: AWAIT, STORE: COMPUTE, DELIVER: STORE}
LOST = frozenset({"failed", "upstream_failed", "skipped", "removed"})


def lacking(tasks: TaskStates, cleared: Collection[str], optional: Collection[str]) -> list[str]:
    """Return the tasks that have to be cleared, too: the first ones, in the order of the work.

    Args:
        tasks: Airflow's state per task; what is under way, or not yet begun, will still come.
        cleared: the tasks that are to run again.
        optional: sources the run can go on without.
    """
    spared = {fetch_task(source) for source in optional}
    found = [
        first
        for task in cleared
        for above in _above(task, tasks)
        for first in _first_lost(above, tasks, {*cleared, *spared})
    ]
    return list(dict.fromkeys(found))


def _first_lost(task: str, tasks: TaskStates, given: Collection[str]) -> Iterator[str]:
    state = tasks.get(task)
    if task in given or not (state is None or state in LOST):
        return
    higher = [lost for above in _above(task, tasks) for lost in _first_lost(above, tasks, given)]
    if higher or state is None:
        yield from higher
    else:
        yield task


def _above(task: str, tasks: TaskStates) -> list[str]:
    if task == AWAIT:
        return sorted(name for name in tasks if name.startswith(FETCH_PREFIX)) or [INIT]
    if task.startswith(FETCH_PREFIX):
        return [INIT]
    return [ABOVE[task]] if task in ABOVE else []
