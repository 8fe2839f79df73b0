"""Schedules and the periods they report on.

A period is named by its key (the local day, `2013-01-01`) and bounded by two instants, start
inclusive and end exclusive, in the report's own zone; a day of a clock change has 23 or 25 hours.
A tick at a time that a clock change skips comes as much later as the clock was put forward.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from reporting.definition.checked import checked
from reporting.errors import DefinitionError, InputError

_CLOCK = re.compile(r"([01]\d|2[0-3]):([0-5]\d)\Z")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}\Z")
FIRST_DAY, LAST_DAY = date(1, 1, 3), date(9999, 12, 29)  # each can be written in any zone


@dataclass(frozen=True)
class Period:
    """The span of time one run reports on.

    Attributes:
        key: the name of the period, e.g. `2013-01-01`.
        start: first instant, UTC, inclusive.
        end: end instant, UTC, exclusive.
        timezone: IANA name of the report's zone.
    """

    key: str
    start: datetime
    end: datetime
    timezone: str

    @property
    def day(self) -> date:
        """The local day the period is named after."""
        return date.fromisoformat(self.key)


@checked
@dataclass(frozen=True)
class Daily:
    """One run a day, at a local time, for the local day before.

    Attributes:
        at: local time `HH:MM` at which the run starts.
        timezone: IANA name of the report's zone.
        start: first day that is scheduled.
        end: last day that is scheduled, or None when there is no end.
        catchup: whether days missed since `start` are run on their own.
    """

    at: str
    timezone: str
    start: date = date(2000, 1, 1)
    end: date | None = None
    catchup: bool = False

    def __post_init__(self) -> None:
        """Refuse a time or zone that does not exist."""
        if not _CLOCK.match(self.at):
            raise DefinitionError(f"Daily: at={self.at!r}; allowed: HH:MM from 00:00 to 23:59.")
        for name, day in (("start", self.start), ("end", self.end or self.start)):
            if not FIRST_DAY <= day <= LAST_DAY:
                raise DefinitionError(f"Daily: {name}={day}; allowed: {FIRST_DAY} to {LAST_DAY}.")
        try:
            ZoneInfo(self.timezone)
        except (ZoneInfoNotFoundError, ValueError, OSError):  # OSError: a folder like 'Europe'
            raise DefinitionError(
                f"Daily: timezone={self.timezone!r} is unknown; "
                "allowed: an IANA name such as 'Europe/Berlin'."
            ) from None

        if self.end is not None and self.end < self.start:
            raise DefinitionError(
                f"Daily: end={self.end}; allowed: on or after start={self.start}."
            )

    @property
    def cron(self) -> str:
        """The tick as a cron line in local time."""
        hour, minute = self.at.split(":")
        return f"{int(minute)} {int(hour)} * * *"

    def period_of_day(self, day: date) -> Period:
        """Return the period of one local day."""
        zone = ZoneInfo(self.timezone)
        start = datetime.combine(day, time.min, zone).astimezone(UTC)
        end = datetime.combine(day + timedelta(days=1), time.min, zone).astimezone(UTC)
        return Period(day.isoformat(), start, end, self.timezone)

    def period_starting_at(self, moment: datetime) -> Period:
        """Return the period of the local day in which `moment` lies."""
        return self.period_of_day(moment.astimezone(ZoneInfo(self.timezone)).date())

    def period_asked_for(self, text: object, asked_at: datetime | None = None) -> Period:
        """Return the period a person named.

        Args:
            text: what was sent as param `period`.
            asked_at: when it was asked for; a day that had not ended by then is refused.

        Raises:
            InputError: it is no calendar day, or one that is not over.
        """
        day = _day_of(text)
        if day is None:
            raise InputError(
                f"Param 'period' is {text!r}; allowed: a calendar day as YYYY-MM-DD, "
                "e.g. '2013-01-31', or nothing for the last complete day."
            )
        if not FIRST_DAY <= day <= LAST_DAY:
            raise InputError(
                f"Param 'period' is {text!r}; allowed: a day from {FIRST_DAY} to {LAST_DAY}."
            )
        period = self.period_of_day(day)
        if asked_at is not None:
            demand_over(period, asked_at)
        return period

    def period_at(self, moment: datetime) -> Period:
        """Return the local day before the last tick at or before `moment`."""
        zone = ZoneInfo(self.timezone)
        local = moment.astimezone(zone)
        hour, minute = (int(part) for part in self.at.split(":"))
        tick = datetime.combine(local.date(), time(hour, minute), zone)
        due = local.date() if moment >= tick.astimezone(UTC) else local.date() - timedelta(days=1)
        return self.period_of_day(due - timedelta(days=1))


def demand_over(period: Period, asked_at: datetime) -> None:
    """Refuse a period that had not ended when its report was asked for.

    Raises:
        InputError: naming the period and its end.
    """
    if period.end > asked_at:
        raise InputError(
            f"Period {period.key!r} is a day that ends at {period.end.isoformat()}; "
            "allowed: a day that is over, so that its figures are complete."
        )


def _day_of(text: object) -> date | None:
    try:
        # fromisoformat alone would also take 20130131 and 2013-W05-4
        return date.fromisoformat(text) if isinstance(text, str) and _DAY.match(text) else None
    except ValueError:
        return None
