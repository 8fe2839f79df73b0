"""A period: the span of time that one run reports on."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime


@dataclass(frozen=True)
class Period:
    """The span of time one run reports on.

    It is named by its key and bounded by two instants, at midnight in the report's own zone.

    Attributes:
        key: the name of the period, e.g. `2013-01-01` for a day and `2013-01` for a month.
        start: first instant, UTC, inclusive.
        end: end instant, UTC, exclusive.
        timezone: IANA name of the report's zone.
    """

    key: str
    start: datetime
    end: datetime
    timezone: str

    @property
    def first_day(self) -> date:
        """The local day the period begins with: of a day, that day itself."""
        return self.first_day_of_key(self.key)

    @staticmethod
    def first_day_of_key(key: str) -> date:
        """Return the local day with which the period of that name begins.

        Raises:
            ValueError: it names neither a day nor a month.
        """
        return date.fromisoformat(key if key.count("-") > 1 else f"{key}-01")
