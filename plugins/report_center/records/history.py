"""The last 30 days of every report, summed up by the database: one row per report, and per day."""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any

from report_center.records.today import DAYS, DayDuration, LastDays, Took
from report_center.records.usual import is_no_duplicate

if TYPE_CHECKING:
    from sqlalchemy import Select
    from sqlalchemy.orm import Session

A_DAY_SECONDS = 86_400
EPOCH = date(1970, 1, 1)


def last_days(session: Session, names: Collection[str], now: datetime) -> dict[str, LastDays]:
    """Return the last 30 days of each report that had runs due in them that have ended."""
    if not names:
        return {}
    days: dict[str, list[DayDuration]] = {}
    took: dict[str, Took] = {}
    for name, day, good, bad, *seconds in session.execute(_query(names, now)):
        mean, usual, longest = (None if one is None else float(one) / 1000 for one in seconds)
        if day is not None:
            this = DayDuration(EPOCH + timedelta(days=int(day)), mean, good, bad)
            days.setdefault(name, []).append(this)
        elif usual is not None and longest is not None:
            took[name] = Took(usual, longest)
    return {
        name: LastDays(tuple(sorted(found, key=_day)), took.get(name))
        for name, found in days.items()
    }


def _day(duration: DayDuration) -> date:
    return duration.day


def success_rate(days: Collection[DayDuration]) -> float | None:
    """Return the share of runs that succeeded, 0 to 1; None when there was none."""
    good, bad = sum(day.succeeded for day in days), sum(day.failed for day in days)
    return good / (good + bad) if good + bad else None


def _query(names: Collection[str], now: datetime) -> Select[Any]:
    """Return the query of the sums per report and day, and, without a day, per report."""
    from sqlalchemy import func, select, tuple_

    run = _runs(names, now).subquery().c
    good = run.state == "success"
    return select(
        run.dag_id,
        run.day,
        func.count().filter(good),
        func.count().filter(~good),
        func.avg(run.took).filter(good),
        func.percentile_cont(0.5).within_group(run.took).filter(good),
        func.max(run.took).filter(good),
    ).group_by(func.grouping_sets(tuple_(run.dag_id, run.day), tuple_(run.dag_id)))


def _runs(names: Collection[str], now: datetime) -> Select[Any]:
    """Return the query of the runs, each with its day and how many milliseconds it took."""
    from airflow.models.dagrun import DagRun
    from sqlalchemy import BigInteger, cast, extract, select

    first = datetime.combine(now.astimezone(UTC).date(), datetime.min.time(), UTC)
    # Whole numbers: the database's exact decimals take several times as long.
    day = (cast(extract("epoch", DagRun.run_after), BigInteger) // A_DAY_SECONDS).label("day")
    ended, begun = (
        cast(extract("epoch", at) * 1000, BigInteger) for at in (DagRun.end_date, DagRun.start_date)
    )
    return select(DagRun.dag_id, day, DagRun.state, (ended - begun).label("took")).where(
        DagRun.dag_id.in_(sorted(names)),
        DagRun.run_after >= first - timedelta(days=DAYS - 1),
        DagRun.state.in_(("success", "failed")),
        is_no_duplicate(),
    )
