"""The schedule of a report on calendar months."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import ClassVar

from reporting.definition.checked import checked
from reporting.definition.params import Param
from reporting.definition.schedule import Schedule
from reporting.errors import DefinitionError

LAST_DAY_OF_EVERY_MONTH = 28
LONGEST = timedelta(days=31)


@checked
@dataclass(frozen=True)
class Monthly(Schedule):
    """One run a month, on a day at a local time, for the calendar month before.

    Attributes:
        at: local time `HH:MM` at which the run starts.
        timezone: IANA name of the report's zone.
        start: any day of the first month that is scheduled.
        end: any day of the last month that is scheduled, or None when there is no end.
        catchup: whether months missed since `start` are run on their own.
        day: day of the month on which the run starts, 1 to 28: every month has it.
    """

    day: int = 1

    unit: ClassVar[str] = "month"
    form: ClassVar[str] = "YYYY-MM"
    example: ClassVar[str] = "2013-01"
    first_day: ClassVar[date] = date(1, 2, 1)
    last_day: ClassVar[date] = date(9999, 11, 30)
    period_param: ClassVar[Param] = Param(
        None,
        type=["null", "string"],
        pattern="^[0-9]{4}-(0[1-9]|1[0-2])$",
        title="Period",
        description="Month to report on as YYYY-MM; empty = the last complete month.",
        more={"format": "month"},
    )

    def __post_init__(self) -> None:
        """Refuse a day that some months do not have."""
        super().__post_init__()
        if not 1 <= self.day <= LAST_DAY_OF_EVERY_MONTH:
            raise DefinitionError(
                f"Monthly: day={self.day}; allowed: 1 to {LAST_DAY_OF_EVERY_MONTH}, "
                "which every month has."
            )

    @property
    def cron(self) -> str:
        """The tick as a cron line in local time."""
        return f"{self.clock.minute} {self.clock.hour} {self.day} * *"

    @property
    def rhythm(self) -> str:
        """When it runs, in words."""
        return f"Monthly on day {self.day} at {self.at} {self.timezone}"

    def _first_day_of(self, day: date) -> date:
        return day.replace(day=1)

    def _after(self, first: date) -> date:
        return (first + LONGEST).replace(day=1)

    def _tick_day(self, first: date) -> date:
        return first.replace(day=self.day)
