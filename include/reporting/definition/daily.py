"""The schedule of a report on days."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import ClassVar

from reporting.definition.checked import checked
from reporting.definition.params import Param
from reporting.definition.schedule import ONE_DAY, Schedule


@checked
@dataclass(frozen=True)
class Daily(Schedule):
    """One run a day, at a local time, for the local day before.

    Attributes:
        at: local time `HH:MM` at which the run starts.
        timezone: IANA name of the report's zone.
        start: first day that is scheduled.
        end: last day that is scheduled, or None when there is no end.
        catchup: whether days missed since `start` are run on their own.
    """

    unit: ClassVar[str] = "day"
    form: ClassVar[str] = "YYYY-MM-DD"
    example: ClassVar[str] = "2013-01-31"
    first_day: ClassVar[date] = date(1, 1, 3)
    last_day: ClassVar[date] = date(9999, 12, 29)
    period_param: ClassVar[Param] = Param(
        None,
        type=["null", "string"],
        title="Period",
        description="Day to report on as YYYY-MM-DD; empty = the last complete day.",
        more={"format": "date"},
    )

    @property
    def cron(self) -> str:
        """The tick as a cron line in local time."""
        return f"{self.clock.minute} {self.clock.hour} * * *"

    @property
    def rhythm(self) -> str:
        """When it runs, in words."""
        return f"Daily at {self.at} {self.timezone}"

    def _first_day_of(self, day: date) -> date:
        return day

    def _after(self, first: date) -> date:
        return first + ONE_DAY

    def _tick_day(self, first: date) -> date:
        return first
