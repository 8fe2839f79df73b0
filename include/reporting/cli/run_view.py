"""Everything about one run that a person wants to know, as read over REST."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from reporting.cli.look import Look
from reporting.cli.report_dags import run_url
from reporting.core import states
from reporting.core.airflow_api import run_path
from reporting.core.airflow_names import (
    DUPLICATE_OF,
    FAILURE,
    OPTIONAL,
    PUBLISHED_ALREADY,
    RETRY_WAIT,
    RUN_AGAIN,
)
from reporting.core.already_published import AlreadyPublished, already_published
from reporting.core.run import split_period

if TYPE_CHECKING:
    from reporting.core.airflow_api import AirflowApi

ORDER = (states.INIT, states.AWAIT, states.COMPUTE, states.STORE, states.DELIVER, states.COMPENSATE)

RETRYING = "up_for_retry"
DECIDED = ("success", "failed")


@dataclass(frozen=True)
class TaskView:
    """One task of the run.

    Attributes:
        name: task id.
        state: Airflow's state, None when not yet scheduled.
        tries: how often it was started.
        max_tries: how often it may be.
        seconds: how long its last try took, if it began.
        result: what it returned: small, counts only.
        failure: why it failed, None when it did not or left no reason.
        next_try: the first and the last moment at which it may be tried again; None when it is
            not to be, or left no word of it.
    """

    name: str
    state: str | None
    tries: int
    max_tries: int
    seconds: float | None
    result: Any
    failure: str | None
    next_try: tuple[str, str] | None = None


@dataclass(frozen=True)
class RunView:
    """One run.

    Attributes:
        report: name of the report.
        title: what people call it.
        run_id: Airflow's run id.
        url: its page.
        state: the one state of R3.
        is_over: whether nothing more will happen.
        period: period key; before `init` has run what was asked for, None for the last one.
        params: every param, or before `init` has run those that were sent.
        by: who or what started it.
        started: first moment of work.
        seconds: from the first moment to the last, or None while it runs.
        tasks: in the order of the work.
        duplicate_of: the run that does the work instead, or has done it.
        optional: sources the run can go on without.
        again: what was decided about running the failed run again, in words.
        already: the release that answers a duplicate, when it was published before.
    """

    report: str
    title: str
    run_id: str
    url: str
    state: str
    is_over: bool
    period: str | None
    params: Mapping[str, Any]
    by: str
    started: str | None
    seconds: float | None
    tasks: tuple[TaskView, ...]
    duplicate_of: str | None
    optional: tuple[str, ...] = ()
    again: str | None = None
    already: AlreadyPublished | None = None

    def task(self, name: str) -> TaskView | None:
        """Return a task by name."""
        return next((task for task in self.tasks if task.name == name), None)

    @property
    def task_states(self) -> dict[str, str | None]:
        """Airflow's state per task."""
        return {task.name: task.state for task in self.tasks}

    @property
    def failed_step(self) -> str | None:
        """The task that broke the run."""
        return states.failed_step(self.task_states, self.optional)


def read_run(api: AirflowApi, report: str, run_id: str) -> RunView:
    """Ask Airflow for everything about a run."""
    run = api.run(report, run_id)
    found = api.pages(f"{run_path(report, run_id)}/taskInstances", "task_instances")
    tasks = tuple(
        _task(api, item) for item in sorted(found, key=lambda item: place(item["task_id"]))
    )
    look = Look(run, {task.name: task.state for task in tasks})
    request = next((task.result for task in tasks if task.name == states.INIT), None)
    asked, sent = split_period(run.get("conf") or {})
    return RunView(
        report=report,
        title=run["dag_display_name"],
        run_id=run_id,
        url=run_url(api, report, run_id),
        state=look.state,
        is_over=look.is_over,
        period=request["period"] if request else asked,
        params=request["params"] if request else sent,
        by=started_by(run),
        started=run["start_date"],
        seconds=run["duration"] if look.is_over else None,
        tasks=tasks,
        duplicate_of=api.xcom(report, run_id, states.INIT, DUPLICATE_OF)
        if look.is_duplicate
        else None,
        optional=tuple(request[OPTIONAL]) if request else (),
        again=_again(api, look),
        already=_already(api, look),
    )


def started_by(run: Mapping[str, Any]) -> str:
    """Say who or what started a run."""
    how = {"rest_api": "over REST", "ui": "in the UI", "timetable": "by its schedule"}
    means = how.get(run["triggered_by"], f"by {run['triggered_by']}")
    user = run.get("triggering_user_name")
    return f"{user}, {means}" if user else means


def _again(api: AirflowApi, look: Look) -> str | None:
    """Return what the `compensate` of a failed run has decided; one not started has not yet."""
    if look.run["state"] != "failed" or look.tasks.get(states.COMPENSATE) not in DECIDED:
        return None
    run = look.run
    found = api.xcom(run["dag_id"], run["dag_run_id"], states.COMPENSATE, RUN_AGAIN)
    return None if found is None else str(found)


def _already(api: AirflowApi, look: Look) -> AlreadyPublished | None:
    """Return the release that answers a duplicate, if it was published before."""
    if not look.is_duplicate:
        return None
    run = look.run
    found = api.xcom(run["dag_id"], run["dag_run_id"], states.INIT, PUBLISHED_ALREADY)
    return None if found is None else already_published(found)


def _task(api: AirflowApi, item: Mapping[str, Any]) -> TaskView:
    key = (item["dag_id"], item["dag_run_id"], item["task_id"])
    state, mapped = item["state"], item["map_index"]
    return TaskView(
        name=item["task_id"] if mapped < 0 else f"{item['task_id']}[{mapped}]",
        state=state,
        tries=item["try_number"],
        max_tries=item["max_tries"] + 1,
        seconds=item["duration"],
        result=api.xcom(*key) if state == "success" else None,
        failure=api.xcom(*key, FAILURE) if state in ("failed", RETRYING) else None,
        next_try=_next_try(item, api.xcom(*key, RETRY_WAIT)) if state == RETRYING else None,
    )


def _next_try(item: Mapping[str, Any], wait: Sequence[float] | None) -> tuple[str, str] | None:
    if wait is None or item["end_date"] is None:
        return None
    ended = datetime.fromisoformat(item["end_date"])
    first, last = ((ended + timedelta(seconds=one)).isoformat() for one in wait)
    return first, last


def place(task: str) -> tuple[int, str]:
    """Return where a task stands in the order of the work: the fetches behind `init`, by name."""
    if task in ORDER:
        return ORDER.index(task), ""
    return ORDER.index(states.INIT), task
