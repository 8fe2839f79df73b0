"""The last 30 days of every report, summed up by the database: one row per report and day."""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any

from report_center.records.today import DAYS, DayDuration, Took
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
    for name, day, good, bad, milliseconds in session.execute(_days(names, now)):
        mean = None if milliseconds is None else float(milliseconds) / 1000
        this = DayDuration(EPOCH + timedelta(days=int(day)), mean, good, bad)
        found.setdefault(name, []).append(this)
    return {name: tuple(sorted(days, key=_day)) for name, days in found.items()}


def last_took(session: Session, names: Collection[str], now: datetime) -> dict[str, Took]:
    """Return how long single good runs of these days took, of each report that had any.

    A median needs its runs in order, so it is for the few reports that are shown.
    """
    if not names:
        return {}
    return {
        name: Took(float(usual) / 1000, float(longest) / 1000)
        for name, usual, longest in session.execute(_took(names, now))
    }


def _day(duration: DayDuration) -> date:
    return duration.day


def success_rate(days: Collection[DayDuration]) -> float | None:
    """Return the share of runs that succeeded, 0 to 1; None when there was none."""
    good, bad = sum(day.succeeded for day in days), sum(day.failed for day in days)
    return good / (good + bad) if good + bad else None


def _days(names: Collection[str], now: datetime) -> Select[Any]:
    """Return the query of the sums per report and day."""
    from sqlalchemy import func, select

    run = _runs(names, now).subquery().c
    good = run.state == "success"
    return select(
        run.dag_id,
        run.day,
        func.count().filter(good),
        func.count().filter(~good),
        func.avg(run.took).filter(good),
    ).group_by(run.dag_id, run.day)


def _took(names: Collection[str], now: datetime) -> Select[Any]:
    """Return the query of median and maximum per report."""
    from sqlalchemy import func, select

    run = _runs(names, now).subquery().c
    median = func.percentile_cont(0.5).within_group(run.took)
    good = (run.state == "success") & run.took.is_not(None)
    return select(run.dag_id, median, func.max(run.took)).where(good).group_by(run.dag_id)


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
