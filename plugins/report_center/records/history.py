"""The last 30 days of every report, summed up by the database: one row per report and day."""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any

from report_center.records.today import DAYS, DayDuration
from report_center.records.usual import is_no_duplicate

if TYPE_CHECKING:
    from sqlalchemy import Select
    from sqlalchemy.orm import Session

A_DAY_SECONDS = 86_400
EPOCH = date(1970, 1, 1)


def last_days(
    session: Session, names: Collection[str], now: datetime
) -> dict[str, tuple[DayDuration, ...]]:
    """Return the days of each report on which runs were due that have ended, oldest first."""
    if not names:
        return {}
    found: dict[str, list[DayDuration]] = {}
    for name, day, good, bad, milliseconds in session.execute(_query(names, now)):
        mean = None if milliseconds is None else float(milliseconds) / 1000
        this = DayDuration(EPOCH + timedelta(days=int(day)), mean, good, bad)
        found.setdefault(name, []).append(this)
    return {name: tuple(sorted(days, key=_day)) for name, days in found.items()}


def _day(duration: DayDuration) -> date:
    return duration.day


def success_rate(days: Collection[DayDuration]) -> float | None:
    """Return the share of runs that succeeded, 0 to 1; None when there was none."""
    good, bad = sum(day.succeeded for day in days), sum(day.failed for day in days)
    return good / (good + bad) if good + bad else None


def _query(names: Collection[str], now: datetime) -> Select[Any]:
    from airflow.models.dagrun import DagRun
    from sqlalchemy import BigInteger, case, cast, extract, func, select

    first = datetime.combine(now.astimezone(UTC).date(), datetime.min.time(), UTC)
    # Whole numbers: the database's exact decimals take several times as long.
    day = (cast(extract("epoch", DagRun.run_after), BigInteger) // A_DAY_SECONDS).label("day")
    ended, begun = (
        cast(extract("epoch", at) * 1000, BigInteger) for at in (DagRun.end_date, DagRun.start_date)
    )
    is_good = DagRun.state == "success"
    return (
        select(
            DagRun.dag_id,
            day,
            func.count(case((is_good, 1))),
            func.count(case((DagRun.state == "failed", 1))),
            func.avg(case((is_good, ended - begun))),
        )
        .where(
            DagRun.dag_id.in_(sorted(names)),
            DagRun.run_after >= first - timedelta(days=DAYS - 1),
            DagRun.state.in_(("success", "failed")),
            is_no_duplicate(),
        )
        .group_by(DagRun.dag_id, day)
    )
