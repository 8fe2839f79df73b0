"""The tasks of one run, and what they have left: two queries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from report_center.records.run import StepRow
from report_center.records.run_query import RETURNED
from report_center.records.run_rows import plain
from reporting.core.airflow_names import DUPLICATE_OF, FAILURE, PUBLISHED_ALREADY, RUN_AGAIN
from reporting.core.states import AWAIT, COMPENSATE, COMPUTE, DELIVER, FETCH_PREFIX, INIT, STORE

if TYPE_CHECKING:
    from airflow.models.taskinstance import TaskInstance
    from sqlalchemy.orm import Session

    from report_center.records.runs import RunRow

ORDER = (INIT, FETCH_PREFIX, AWAIT, COMPUTE, STORE, DELIVER, COMPENSATE)
KEYS = (RETURNED, FAILURE, DUPLICATE_OF, PUBLISHED_ALREADY, RUN_AGAIN)
FAILED = ("failed", "up_for_retry")
NOT_BEGUN = (None, "upstream_failed")
IN_LINE = ("scheduled", "queued")
# What tasks have left, by task and key.
Left = Mapping[tuple[str, str], Any]


def left_by(session: Session, number: int) -> Left:
    """Return the XComs of a run that say what its tasks did.

    Args:
        session: of Airflow's database.
        number: Airflow's own number of the run.
    """
    from airflow.models.xcom import XComModel
    from sqlalchemy import select

    query = select(XComModel.task_id, XComModel.key, XComModel.value).where(
        XComModel.dag_run_id == number, XComModel.map_index == -1, XComModel.key.in_(KEYS)
    )
    return {(task, key): plain(value) for task, key, value in session.execute(query)}


def step_rows(session: Session, run: RunRow, left: Left) -> list[StepRow]:
    """Return the tasks in the order of the work: fetches behind `init`, by name."""
    from airflow.models.taskinstance import TaskInstance as Task
    from sqlalchemy import select
    from sqlalchemy.orm import lazyload, load_only

    query = (
        select(Task)
        .where(Task.dag_id == run.report, Task.run_id == run.run_id)
        .options(lazyload("*"), load_only(*_columns(Task)))
    )
    rows = [own_times(_row(task, left), run.queued_at) for task in session.scalars(query)]
    return sorted(rows, key=lambda step: (_place(step.name), step.name))


def own_times(step: StepRow, begun: datetime | None) -> StepRow:
    """Return a step with the times of its own work only.

    Airflow keeps the times of an earlier try when it clears a task, and gives times to one that
    never began. A step that was kept when others were cleared keeps its own.

    Args:
        step: with the times that Airflow has.
        begun: when the run was put in line for this life; None when that is unknown.
    """
    queued, started, ended = step.queued_at, step.started_at, step.ended_at
    if step.state in NOT_BEGUN or not step.tries:
        queued, started = None, None
    elif step.state in (*IN_LINE, "skipped"):
        queued, started = _since(queued, begun), _since(started, begun)
    if started is None or ended is None or ended < started:
        ended = None
    seconds = None if started is None or ended is None else step.seconds
    return replace(step, queued_at=queued, started_at=started, ended_at=ended, seconds=seconds)


def _since(at: datetime | None, begun: datetime | None) -> datetime | None:
    return None if at is None or (begun is not None and at < begun) else at


def _columns(task: type[TaskInstance]) -> list[Any]:
    return [
        task.task_id,
        task.map_index,
        task.state,
        task.try_number,
        task.max_tries,
        task.queued_dttm,
        task.start_date,
        task.end_date,
        task.duration,
    ]


def _row(task: TaskInstance, left: Left) -> StepRow:
    name, state = task.task_id, None if task.state is None else str(task.state)
    failure = left.get((name, FAILURE)) if state in FAILED else None
    return StepRow(
        name=name,
        state=state,
        tries=task.try_number or 0,
        max_tries=(task.max_tries or 0) + 1,
        queued_at=task.queued_dttm,
        started_at=task.start_date,
        ended_at=task.end_date,
        seconds=task.duration if task.end_date else None,
        failure=None if failure is None else str(failure),
        result=left.get((name, RETURNED)) if state == "success" else None,
    )


def _place(task: str) -> int:
    if task.startswith(FETCH_PREFIX):
        return ORDER.index(FETCH_PREFIX)
    return ORDER.index(task) if task in ORDER else len(ORDER)
