"""How long a report usually takes, and whether it is late by that."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta
from statistics import median
from typing import TYPE_CHECKING, Any

from reporting.core.airflow_names import DUPLICATE_OF

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from report_center.records.reports import ReportRow
    from report_center.records.runs import RunRow

LAST_GOOD = 10  # runs; older ones tell little of today's amounts
# What is not late yet: the scheduler, and runs, take their time.
START_GRACE = timedelta(minutes=5)
END_GRACE = timedelta(minutes=1)
SLOWER = 1.5


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


def late_since(
    report: ReportRow, last: RunRow | None, usual: float | None, now: datetime
) -> datetime | None:
    """Return when a late report should have started, or ended; None while it is on time."""
    if last is not None and not last.is_over:
        return _late_run(last, usual, now)
    due = report.next_run_at
    is_due = due is not None and not report.is_paused and due + START_GRACE < now
    return due if is_due else None


def _late_run(run: RunRow, usual: float | None, now: datetime) -> datetime | None:
    if run.started_at is None:
        waits_since = run.queued_at or run.run_after
        return waits_since if waits_since + START_GRACE < now else None
    end = expected_end(run, usual)
    if end is None or usual is None:
        return None
    last_moment = run.started_at + timedelta(seconds=usual * SLOWER) + END_GRACE
    return end if last_moment < now else None
