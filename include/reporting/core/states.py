"""The one state of a run (R3), derived from its task states and kept nowhere."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

FINISHED = frozenset({"success", "failed", "upstream_failed", "skipped", "removed"})
BROKEN = frozenset({"failed", "upstream_failed"})

INIT = "init"
AWAIT = "await_sources"
COMPUTE = "compute"
STORE = "store"
DELIVER = "deliver"
COMPENSATE = "compensate"
FETCH_PREFIX = "fetch_"

TaskStates = Mapping[str, str | None]


def fetch_task(source: str) -> str:
    """Return the task id that fetches `source`."""
    return FETCH_PREFIX + source


def state_of(run_state: str, tasks: TaskStates, sources: Sequence[str]) -> str:
    """Return the run's state.

    Args:
        run_state: Airflow's state of the run.
        tasks: Airflow's state per task id; None for a task not yet scheduled.
        sources: source names in their declared order.

    Returns:
        `INIT`, `FETCHING_DATA_<SOURCE>` (the first source still under way, else the first that
        failed), `DATA_AGGREGATED`, `CALCULATING`, `STORING_RESULT`, `SUCCESS`, `COMPENSATING` or
        `FAILED`.
    """
    if run_state in ("success", "failed"):
        return run_state.upper()
    if tasks.get(STORE) == "success":
        return "SUCCESS"
    if is_broken(tasks):
        return "COMPENSATING"
    return _working_state(tasks, sources)


def is_broken(tasks: TaskStates) -> bool:
    """Say whether the run can no longer publish; a failed optional source alone does not do it."""
    return any(tasks.get(task) in BROKEN for task in (INIT, AWAIT, COMPUTE, STORE))


def is_duplicate(tasks: TaskStates) -> bool:
    """Say whether the run ended at once because another one works on the same request."""
    return tasks.get(INIT) == "skipped"


def was_cut_short(tasks: TaskStates) -> bool:
    """Say whether somebody marked the run failed while it worked.

    Airflow then fails the tasks that work and skips those that wait. A step that fails by itself
    leaves the others `upstream_failed`, and a time limit leaves none failed.
    """
    waiting = (AWAIT, COMPUTE, STORE, DELIVER)
    return not is_duplicate(tasks) and any(tasks.get(task) == "skipped" for task in waiting)


def failed_step(tasks: TaskStates, optional: Collection[str] = ()) -> str | None:
    """Return the task that broke the run: the first failed one, a fetch before its waiter.

    Args:
        tasks: Airflow's state per task id.
        optional: sources the run can go on without; their failed fetch has not broken it.
    """
    spared = {fetch_task(source) for source in optional}
    fetches = sorted(t for t in tasks if t.startswith(FETCH_PREFIX) and t not in spared)
    order = [INIT, *fetches, AWAIT, COMPUTE, STORE, DELIVER, COMPENSATE]
    if tasks.get(AWAIT) not in BROKEN:
        order = [task for task in order if task not in fetches]
    return next((task for task in order if tasks.get(task) == "failed"), None)


def _working_state(tasks: TaskStates, sources: Sequence[str]) -> str:
    if tasks.get(COMPUTE) == "success":
        return "STORING_RESULT"
    if tasks.get(COMPUTE) in ("queued", "running", "restarting", "up_for_retry"):
        return "CALCULATING"
    if tasks.get(AWAIT) == "success":
        return "DATA_AGGREGATED"
    if tasks.get(INIT) != "success":
        return "INIT"
    under_way = [s for s in sources if tasks.get(fetch_task(s)) not in FINISHED]
    # One that failed: whether the run can go on without it is not decided yet.
    lost = [s for s in sources if tasks.get(fetch_task(s)) not in ("success", "removed")]
    open_sources = under_way or lost
    return f"FETCHING_DATA_{open_sources[0].upper()}" if open_sources else "DATA_AGGREGATED"
