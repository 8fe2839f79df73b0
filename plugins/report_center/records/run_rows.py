"""Makes rows of Airflow's runs: three more queries, however many runs there are."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from report_center.records.definitions import definitions, secret_params
from report_center.records.run_query import MONTH, RETURNED, UNDER_WAY
from report_center.records.runs import RunRow
from reporting.core.run import split_period
from reporting.core.states import FETCH_PREFIX, INIT, is_duplicate, state_of

if TYPE_CHECKING:
    from airflow.models.dagrun import DagRun
    from sqlalchemy.orm import Session

HIDDEN = "…"


@dataclass(frozen=True)
class Around:
    """What a row needs besides Airflow's run itself.

    Attributes:
        steps: Airflow's state per task.
        request: what `init` has returned; None before.
        title: what people call the report.
        definition: the report's definition; empty when unknown.
    """

    steps: Mapping[str, str | None]
    request: Mapping[str, Any] | None
    title: str
    definition: Mapping[str, Any]


def run_rows(session: Session, runs: Sequence[DagRun]) -> list[RunRow]:
    """Return a row per run, in the same order, without the published versions."""
    numbers = [run.id for run in runs]
    names = {run.dag_id for run in runs}
    steps = _steps(session, numbers)
    requests = _requests(session, numbers)
    titles = _titles(session, names)
    known = definitions(session, names) if names else {}
    return [
        row_of(
            run,
            Around(
                steps.get(run.id, {}),
                requests.get(run.id),
                titles.get(run.dag_id, run.dag_id),
                known.get(run.dag_id, {}),
            ),
            datetime.now(UTC),
        )
        for run in runs
    ]


def row_of(run: DagRun, around: Around, now: datetime) -> RunRow:
    """Return the row of one run."""
    sent = run.conf or {}
    period, asked = split_period(sent)
    if around.request:
        period, asked = around.request["period"], around.request["params"]
    period = period or _period_of_interval(run, around.definition)
    state = str(run.state)
    return RunRow(
        number=run.id,
        report=run.dag_id,
        title=around.title,
        run_id=run.run_id,
        state=state_of(state, around.steps, _sources(around)),
        is_over=state not in UNDER_WAY,
        is_duplicate=is_duplicate(around.steps),
        period=None if period is None else str(period),
        params=_shown(asked, around.definition),
        triggered_by=run.triggering_user_name,
        how=None if run.triggered_by is None else run.triggered_by.value,
        run_after=run.run_after,
        queued_at=run.queued_at,
        started_at=run.start_date,
        ended_at=run.end_date,
        seconds=_seconds(run, now),
        clear_number=run.clear_number or 0,
        steps=around.steps,
        version=None,
        sent=sent,
        asked=asked,
    )


def plain(value: Any) -> Any:
    """Return what a task has left; what a trigger returns, Airflow encodes once more."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except ValueError:
        return value


def _sources(around: Around) -> list[str]:
    """Return the sources in their declared order; those of an older version by name."""
    declared = [source["name"] for source in around.definition.get("sources", ())]
    fetched = sorted(
        t.removeprefix(FETCH_PREFIX) for t in around.steps if t.startswith(FETCH_PREFIX)
    )
    return [*(s for s in declared if s in fetched), *(s for s in fetched if s not in declared)]


def _period_of_interval(run: DagRun, definition: Mapping[str, Any]) -> str | None:
    """Return the period in which the data interval starts, if there is one."""
    if run.data_interval_start is None or not definition:
        return None
    schedule = definition["schedule"]
    day = run.data_interval_start.astimezone(ZoneInfo(schedule["timezone"])).date().isoformat()
    return day[:MONTH] if schedule["unit"] == "month" else day


def _shown(params: Mapping[str, Any], definition: Mapping[str, Any]) -> dict[str, Any]:
    """Return params without the values of secret ones."""
    secret = secret_params(definition)
    return {name: HIDDEN if name in secret else value for name, value in params.items()}


def _seconds(run: DagRun, now: datetime) -> float | None:
    if run.start_date is None:
        return None
    return max(0.0, ((run.end_date or now) - run.start_date).total_seconds())


def _steps(session: Session, numbers: Iterable[int]) -> dict[int, dict[str, str | None]]:
    from airflow.models.dagrun import DagRun
    from airflow.models.taskinstance import TaskInstance as Task
    from sqlalchemy import select

    query = (
        select(DagRun.id, Task.task_id, Task.state)
        .join(Task, (Task.dag_id == DagRun.dag_id) & (Task.run_id == DagRun.run_id))
        .where(DagRun.id.in_(numbers))
    )
    found: dict[int, dict[str, str | None]] = {}
    for number, task, state in session.execute(query):
        found.setdefault(number, {})[task] = state
    return found


def _requests(session: Session, numbers: Iterable[int]) -> dict[int, Mapping[str, Any]]:
    from airflow.models.xcom import XComModel
    from sqlalchemy import select

    query = select(XComModel.dag_run_id, XComModel.value).where(
        XComModel.dag_run_id.in_(numbers),
        XComModel.task_id == INIT,
        XComModel.map_index == -1,
        XComModel.key == RETURNED,
    )
    return {number: plain(value) for number, value in session.execute(query) if value}


def _titles(session: Session, names: Iterable[str]) -> dict[str, str]:
    from airflow.models.dag import DagModel
    from sqlalchemy import select

    dag: Any = DagModel.__table__.c
    query = select(dag.dag_id, dag.dag_display_name).where(dag.dag_id.in_(sorted(names)))
    return {name: title or name for name, title in session.execute(query)}
