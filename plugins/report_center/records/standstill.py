"""Which steps of reports stand still, and how many slots are free: Airflow's own tables."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from report_center.records.health import PoolRow, StalledRow

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

# A running task gives a sign of life every few seconds, one in line waits for a slot only, and
# the scheduler ends within seconds what has waited for longer than it may.
PATIENCE = {
    "running": timedelta(minutes=5),
    "queued": timedelta(minutes=15),
    "scheduled": timedelta(minutes=15),
    "deferred": timedelta(minutes=5),
}
MOST = 100


def stalled_steps(session: Session, zones: Mapping[str, str], now: datetime) -> list[StalledRow]:
    """Return the steps without a sign of life, and those that wait for too long.

    Args:
        session: of Airflow's database.
        zones: time zone of each report that is looked at, by name.
        now: decides.
    """
    from airflow.models.taskinstance import TaskInstance as Task
    from sqlalchemy import case, or_, select

    since = _since()
    is_still = or_(
        *((Task.state == state) & (since[state] < now - most) for state, most in PATIENCE.items())
    )
    at = case(*((Task.state == state, moment) for state, moment in since.items())).label("at")
    query = (
        select(Task.dag_id, Task.run_id, Task.task_id, Task.state, at)
        .where(Task.state.in_(PATIENCE), Task.dag_id.in_(sorted(zones)), is_still)
        .order_by(at)
        .limit(MOST)
    )
    return [
        StalledRow(report, run_id, step, str(state), moment, zones[report])
        for report, run_id, step, state, moment in session.execute(query)
    ]


def _since() -> dict[str, Any]:
    """Return, per state, the moment since which nothing has become of a task."""
    from airflow.models.taskinstance import TaskInstance as Task
    from sqlalchemy import func

    return {
        "running": func.coalesce(Task.last_heartbeat_at, Task.start_date),
        "queued": Task.queued_dttm,
        "scheduled": Task.scheduled_dttm,
        "deferred": Task.trigger_timeout,
    }


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


def parallelism() -> int | None:
    """Return how many tasks an executor runs at once, as configured here; None for no number."""
    from airflow.configuration import conf
    from airflow.exceptions import AirflowConfigException

    try:
        return conf.getint("core", "parallelism")
    except AirflowConfigException:
        return None


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
        queued=stats["queued"] + stats["scheduled"],
        free=max(0, int(stats["open"])) if has_limit else None,
    )
