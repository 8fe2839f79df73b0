"""The days the sample has data of."""

from __future__ import annotations

from datetime import date

from reporting.definition.daily import Daily
from reporting.errors import InputError

YEAR = 2013
WORTH_SEEING = {"2013-02-08": "a snow storm", "2013-07-04": "a holiday"}


def demand_sample_day(text: str) -> None:
    """Refuse a day no run could report on, before one is started.

    Raises:
        InputError: it is no calendar day of the sample.
    """
    if _day_of(text).year != YEAR:
        raise InputError(
            f"Day {text!r} has no data, the sample's flights are of {YEAR}; allowed: a day from "
            f"{YEAR}-01-01 to {YEAR}-12-31. For example: make demo PERIOD=2013-02-08"
        )


def another_day(shown: str | None) -> tuple[str, str]:
    """A day to try next, and what is special about it."""
    return next((day, why) for day, why in WORTH_SEEING.items() if day != shown)


def _day_of(text: str) -> date:
    try:
        return Daily(at="00:00", timezone="UTC").period_asked_for(text).first_day
    except InputError:
        return date.min
