"""The query of runs: reports that may be read, by what is asked for, by number."""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING, Any

from report_center.records.reports import is_report
from reporting.core.states import INIT, STORE
from reporting.definition.params import PERIOD

if TYPE_CHECKING:
    from airflow.models.dagrun import DagRun
    from sqlalchemy import Select

    from report_center.records.runs import RunsWanted

RETURNED = "return_value"
UNDER_WAY = ("queued", "running")
MONTH = len("2013-01")
LONGEST_MONTH = timedelta(days=31)
A_DAY = timedelta(days=1)  # more than any zone is ahead of UTC, or behind it


def runs_query(wanted: RunsWanted, readable: Collection[str] | None) -> Select[DagRun]:
    """Return the query of all that is wanted but the state and the limit.

    Args:
        wanted: what is asked for.
        readable: reports that may be read; None for all.
    """
    from airflow.models.dag import DagModel
    from airflow.models.dagrun import DagRun
    from airflow.models.xcom import XComModel
    from sqlalchemy import select
    from sqlalchemy.orm import lazyload

    reports = select(DagModel.dag_id).where(is_report())
    if readable is not None:
        reports = reports.where(DagModel.dag_id.in_(sorted(readable)))
    query = select(DagRun).where(DagRun.dag_id.in_(reports), *_conditions(wanted))
    if wanted.period_from is not None or wanted.period_to is not None:
        query = query.outerjoin(XComModel, _left_by_init())
        query = query.where(_in_periods(wanted.period_from, wanted.period_to))
    return query.order_by(DagRun.id.desc()).options(lazyload("*"))


def _conditions(wanted: RunsWanted) -> list[Any]:
    from airflow.models.dagrun import DagRun
    from airflow.utils.types import DagRunTriggeredByType

    found: list[Any] = []
    if wanted.report is not None:
        found.append(DagRun.dag_id == wanted.report)
    if wanted.triggered_by is not None:
        found.append(DagRun.triggering_user_name == wanted.triggered_by)
    if wanted.how is not None:
        found.append(DagRun.triggered_by == DagRunTriggeredByType(wanted.how))
    if wanted.before is not None:
        found.append(DagRun.id < wanted.before)
    return found


def succeeded() -> Any:
    """Return the condition under which a run counts as SUCCESS: it is, or it has published."""
    from airflow.models.dagrun import DagRun
    from airflow.models.taskinstance import TaskInstance
    from sqlalchemy import exists

    has_published = exists().where(
        TaskInstance.dag_id == DagRun.dag_id,
        TaskInstance.run_id == DagRun.run_id,
        TaskInstance.task_id == STORE,
        TaskInstance.state == "success",
    )
    return (DagRun.state == "success") | ((DagRun.state == "running") & has_published)


def _left_by_init() -> Any:
    """Return the condition that joins a run with what its `init` has returned, if it has."""
    from airflow.models.dagrun import DagRun
    from airflow.models.xcom import XComModel

    return (
        (XComModel.dag_run_id == DagRun.id)
        & (XComModel.task_id == INIT)
        & (XComModel.map_index == -1)
        & (XComModel.key == RETURNED)
    )


def _in_periods(first: str | None, last: str | None) -> Any:
    """Return the condition under which a run's period lies between two, both inclusive.

    `init` has left the period of a run it let pass; of one it did not, what was asked for counts,
    or the data interval, which starts in the period.
    """
    from airflow.models.dagrun import DagRun
    from airflow.models.xcom import XComModel
    from sqlalchemy import func

    decided = XComModel.value[PERIOD].as_string()
    known = func.coalesce(decided, DagRun.conf[PERIOD].as_string())
    by_key = _between(known, first, last)
    bounds = _interval_bounds(first, last)
    by_interval = known.is_(None) & _all([DagRun.data_interval_start.is_not(None), *bounds])
    return _all([*_not_before(first), by_key | by_interval])


def _not_before(first: str | None) -> list[Any]:
    """Return what saves looking at older runs: a period is over when its run is due."""
    from airflow.models.dagrun import DagRun

    return [] if first is None else [DagRun.run_after >= _midnight(_first_day(first), -A_DAY)]


def _between(key: Any, first: str | None, last: str | None) -> Any:
    """Compare keys as texts; a month lies within bounds when one of its days does."""
    from sqlalchemy import func

    found = []
    if first is not None:
        found.append(key >= func.substr(first, 1, func.length(key)))
    if last is not None:
        found.append(func.substr(key, 1, len(last)) <= last)
    return _all(found)


def _interval_bounds(first: str | None, last: str | None) -> list[Any]:
    """Return bounds of a data interval's start, as wide as any zone makes them."""
    from airflow.models.dagrun import DagRun

    found = []
    if first is not None:
        start = _first_day(first[:MONTH])
        found.append(DagRun.data_interval_start >= _midnight(start, -A_DAY))
    if last is not None:
        length = A_DAY if len(last) > MONTH else LONGEST_MONTH
        found.append(DagRun.data_interval_start < _midnight(_first_day(last), length + A_DAY))
    return found


def _first_day(key: str) -> date:
    return date.fromisoformat(key if len(key) > MONTH else f"{key}-01")


def _midnight(day: date, later: timedelta) -> datetime:
    """Return midnight in UTC, so much later, or where time begins or ends."""
    try:
        moved = day + later
    except OverflowError:
        moved = date.min if later < timedelta(0) else date.max
    return datetime.combine(moved, time.min, UTC)


def _all(conditions: list[Any]) -> Any:
    from sqlalchemy import and_

    return and_(*conditions)
