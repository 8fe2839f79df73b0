"""Whether a source is fresh enough, told once all its rows are there and before the commit."""

from __future__ import annotations

from datetime import date, datetime, time
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from reporting.errors import TransientError

if TYPE_CHECKING:
    from reporting.definition.period import Period
    from reporting.definition.source import Source

NEWEST, NEWEST_AGE = "newest", "newest_age_seconds"


def check_fresh(source: Source, period: Period, newest: Any, now: datetime) -> dict[str, Any]:
    """Refuse a source whose newest row is too old; what fills it may only be late.

    Args:
        source: says how old it may be.
        period: what the run reports on.
        newest: largest value of the column that tells the age, None when there is none.
        now: an instant.

    Returns:
        Facts for the manifest: the newest row's instant, and how many seconds before the end of
        the period, or before now, that is; nothing for a source without such a rule.

    Raises:
        TransientError: naming the newest row and how old it may be.
    """
    if source.fresh is None:
        return {}
    end = min(period.end, now)
    oldest = end - source.fresh.within
    if newest is None or instant(newest, period.timezone) < oldest:
        raise TransientError(
            f"Source {source.name!r}: the newest {source.fresh.column!r} is {newest or 'NULL'}; "
            f"allowed: {oldest.isoformat()} or later (fresh within {source.fresh.within}). "
            "Nothing was committed."
        )
    at = instant(newest, period.timezone)
    return {NEWEST: at.isoformat(), NEWEST_AGE: (end - at).total_seconds()}


def instant(value: date | datetime, timezone: str) -> datetime:
    """Return a day's end or a wall-clock time of the zone as an instant; instants as they are."""
    if not isinstance(value, datetime):
        value = datetime.combine(value, time.max)
    # Not as UTC, which the last day of year 9999 does not have everywhere.
    return value if value.tzinfo else value.replace(tzinfo=ZoneInfo(timezone))
