"""How long a report usually takes."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta
from statistics import median
from typing import TYPE_CHECKING, Any

from reporting.core.airflow_names import DUPLICATE_OF

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from report_center.records.runs import RunRow

LAST_GOOD = 10  # runs; older ones tell little of today's amounts


def usual_seconds(session: Session, names: Collection[str]) -> dict[str, float]:
    """Return the median duration of the last good runs of each report that has any."""
    from airflow.models.dagrun import DagRun
    from sqlalchemy import func, select

    if not names:
        return {}
    place = func.row_number().over(partition_by=DagRun.dag_id, order_by=DagRun.id.desc())
    good = (
        select(DagRun.dag_id, DagRun.start_date, DagRun.end_date, place.label("place"))
        .where(DagRun.dag_id.in_(sorted(names)), DagRun.state == "success", is_no_duplicate())
        .subquery()
    )
    found: dict[str, list[float]] = {}
    for name, begun, ended, _ in session.execute(select(good).where(good.c.place <= LAST_GOOD)):
        if begun and ended:
            found.setdefault(name, []).append((ended - begun).total_seconds())
    return {name: median(seconds) for name, seconds in found.items()}


def is_no_duplicate() -> Any:
    """Return the condition under which a run did work of its own; duplicates are few."""
    from airflow.models.dagrun import DagRun
    from airflow.models.xcom import XComModel
    from sqlalchemy import select

    pointing = select(XComModel.dag_run_id).where(XComModel.key == DUPLICATE_OF)
    return DagRun.id.not_in(pointing)


def expected_end(run: RunRow | None, usual: float | None) -> datetime | None:
    """Return when a run under way will have ended; None for one that waits, or is over."""
    if run is None or run.is_over or run.started_at is None or usual is None:
        return None
    return run.started_at + timedelta(seconds=usual)
