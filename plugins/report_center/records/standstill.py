"""Which steps of reports stand still, and how many slots are free: Airflow's own tables."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from report_center.records.health import PoolRow, StalledRow

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

# A running task gives a sign of life every few seconds; one in line waits for a slot only.
SILENT_AFTER = timedelta(minutes=5)
WAITS_TOO_LONG = timedelta(minutes=15)
MOST = 100


def stalled_steps(session: Session, names: Collection[str], now: datetime) -> list[StalledRow]:
    """Return the steps without a sign of life, and those that wait too long for a slot."""
    from airflow.models.taskinstance import TaskInstance as Task
    from sqlalchemy import func, select

    alive_at = func.coalesce(Task.last_heartbeat_at, Task.start_date)
    is_silent = (Task.state == "running") & (alive_at < now - SILENT_AFTER)
    is_left = (Task.state == "queued") & (Task.queued_dttm < now - WAITS_TOO_LONG)
    since = func.coalesce(alive_at, Task.queued_dttm)
    query = (
        select(Task.dag_id, Task.run_id, Task.task_id, Task.state, since)
        .where(Task.state.in_(("running", "queued")), Task.dag_id.in_(sorted(names)))
        .where(is_silent | is_left)
        .order_by(since)
        .limit(MOST)
    )
    return [
        StalledRow(report, run_id, step, str(state), at)
        for report, run_id, step, state, at in session.execute(query)
    ]


def under_way(session: Session, names: Collection[str]) -> dict[str, int]:
    """Return how many runs of reports are `queued` and `running`."""
    from airflow.models.dagrun import DagRun
    from sqlalchemy import func, select

    query = (
        select(DagRun.state, func.count())
        .where(DagRun.state.in_(("queued", "running")), DagRun.dag_id.in_(sorted(names)))
        .group_by(DagRun.state)
    )
    return {str(state): count for state, count in session.execute(query)}


def pool_rows(session: Session) -> list[PoolRow]:
    """Return the pools by name."""
    from airflow.models.pool import Pool

    return [_pool(name, stats) for name, stats in sorted(Pool.slots_stats(session=session).items())]


def _pool(name: str, stats: Any) -> PoolRow:
    has_limit = stats["total"] != float("inf")
    return PoolRow(
        name=name,
        total=int(stats["total"]) if has_limit else None,
        running=stats["running"],
        queued=stats["queued"],
        free=max(0, int(stats["open"])) if has_limit else None,
    )
