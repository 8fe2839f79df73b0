"""What all schedules share: ticks at a local time, and periods that follow each other.

A period is bounded by local midnights, start inclusive and end exclusive; a day of a clock change
has 23 or 25 hours. A tick at a time that a clock change skips comes as much later as the clock was
put forward.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import ClassVar
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from reporting.definition.params import Param  # noqa: TC001 - `checked` reads annotations
from reporting.definition.period import Period
from reporting.errors import DefinitionError, InputError

_CLOCK = re.compile(r"([01]\d|2[0-3]):([0-5]\d)\Z")
ONE_DAY = timedelta(days=1)


@dataclass(frozen=True)
class Schedule(ABC):
    """When a report runs, and which period each run covers.

    Attributes:
        at: local time `HH:MM` at which the run starts.
        timezone: IANA name of the report's zone.
        start: a day of the first period that is scheduled.
        end: a day of the last period that is scheduled, or None when there is no end.
        catchup: whether periods missed since `start` are run on their own.
        unit: what a period is called, e.g. `day`.
        form: how its key is written, e.g. `YYYY-MM-DD`.
        example: such a key.
        first_day: earliest `start`; a period from here to `last_day` can be written in any zone.
        last_day: latest `end`.
        period_param: how a person asks for a period.
    """

    at: str
    timezone: str
    start: date = date(2000, 1, 1)
    end: date | None = None
    catchup: bool = False

    unit: ClassVar[str]
    form: ClassVar[str]
    example: ClassVar[str]
    first_day: ClassVar[date]
    last_day: ClassVar[date]
    period_param: ClassVar[Param]

    def __post_init__(self) -> None:
        """Refuse a time or zone that does not exist, and days out of range."""
        where = type(self).__name__
        if not _CLOCK.match(self.at):
            raise DefinitionError(f"{where}: at={self.at!r}; allowed: HH:MM from 00:00 to 23:59.")
        self._check_days(where)
        try:
            ZoneInfo(self.timezone)
        except (ZoneInfoNotFoundError, ValueError, OSError):  # OSError: a folder like 'Europe'
            raise DefinitionError(
                f"{where}: timezone={self.timezone!r} is unknown; "
                "allowed: an IANA name such as 'Europe/Berlin'."
            ) from None

    def _check_days(self, where: str) -> None:
        for name, day in (("start", self.start), ("end", self.end or self.start)):
            if not self.first_day <= day <= self.last_day:
                raise DefinitionError(
                    f"{where}: {name}={day}; allowed: {self.first_day} to {self.last_day}."
                )
        if self.end is not None and self.end < self.start:
            raise DefinitionError(
                f"{where}: end={self.end}; allowed: on or after start={self.start}."
            )

    @property
    @abstractmethod
    def cron(self) -> str:
        """The tick as a cron line in local time."""

    @property
    @abstractmethod
    def rhythm(self) -> str:
        """When it runs, in words."""

    @property
    def clock(self) -> time:
        """The local time of a tick."""
        return time.fromisoformat(self.at)

    def period_of_day(self, day: date) -> Period:
        """Return the period in which a local day lies."""
        first = self._first_day_of(day)
        start, end = (self._instant(at, time.min) for at in (first, self._after(first)))
        return Period(self._key(first), start, end, self.timezone)

    def period_starting_at(self, moment: datetime) -> Period:
        """Return the period in which `moment` lies."""
        return self.period_of_day(moment.astimezone(ZoneInfo(self.timezone)).date())

    def period_at(self, moment: datetime) -> Period:
        """Return the period before the last tick at or before `moment`."""
        current = self._first_day_of(moment.astimezone(ZoneInfo(self.timezone)).date())
        before = self._first_day_of(current - ONE_DAY)
        is_due = moment >= self._instant(self._tick_day(current), self.clock)
        return self.period_of_day(before if is_due else before - ONE_DAY)

    def period_asked_for(self, text: object, asked_at: datetime | None = None) -> Period:
        """Return the period a person named.

        Args:
            text: what was sent as param `period`.
            asked_at: when it was asked for; a period that had not ended by then is refused.

        Raises:
            InputError: it names no period, or one that is not over.
        """
        first = self._first_day_named(text)
        if first is None:
            raise InputError(
                f"Param 'period' is {text!r}; allowed: a calendar {self.unit} as {self.form}, "
                f"e.g. {self.example!r}, or nothing for the last complete {self.unit}."
            )
        if not self.first_day <= first <= self.last_day:
            earliest, latest = self._key(self.first_day), self._key(self.last_day)
            raise InputError(
                f"Param 'period' is {text!r}; allowed: a {self.unit} from {earliest} to {latest}."
            )
        period = self.period_of_day(first)
        if asked_at is not None:
            self.demand_over(period, asked_at)
        return period

    def demand_over(self, period: Period, asked_at: datetime) -> None:
        """Refuse a period that had not ended when its report was asked for.

        Raises:
            InputError: naming the period and its end.
        """
        if period.end > asked_at:
            raise InputError(
                f"Period {period.key!r} is a {self.unit} that ends at {period.end.isoformat()}; "
                f"allowed: a {self.unit} that is over, so that its figures are complete."
            )

    def key_of_day(self, day: date) -> str:
        """Return the key of the period in which a local day lies."""
        return self._key(self._first_day_of(day))

    @abstractmethod
    def _first_day_of(self, day: date) -> date:
        """Return the first day of the period in which `day` lies."""

    @abstractmethod
    def _after(self, first: date) -> date:
        """Return the first day of the period that follows the one that starts on `first`."""

    @abstractmethod
    def _tick_day(self, first: date) -> date:
        """Return the day of the tick within the period that starts on `first`."""

    def _key(self, first: date) -> str:
        return first.isoformat()[: len(self.form)]

    def _first_day_named(self, text: object) -> date | None:
        try:
            first = Period.first_day_of_key(text) if isinstance(text, str) else None
        except ValueError:
            return None
        # Python would also take 20130131 and 2013-W05-4, and a day is no month.
        return first if first is not None and self._key(first) == text else None

    def _instant(self, day: date, clock: time) -> datetime:
        return datetime.combine(day, clock, ZoneInfo(self.timezone)).astimezone(UTC)
