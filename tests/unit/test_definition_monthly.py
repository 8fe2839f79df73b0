"""Months as periods: local midnight to local midnight, over every clock change (R26, F21, F23)."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from reporting.definition.monthly import Monthly
from reporting.errors import InputError
from tests.unit.test_definition_period import days, moments, times, zones

pytestmark = pytest.mark.unit

BERLIN = Monthly(at="06:00", timezone="Europe/Berlin")
ticks = st.integers(1, 28)


@pytest.mark.parametrize(
    ("zone", "month", "start", "end"),
    [
        ("Europe/Berlin", "2013-03", "2013-02-28T23:00Z", "2013-03-31T22:00Z"),
        ("Europe/Berlin", "2013-10", "2013-09-30T22:00Z", "2013-10-31T23:00Z"),
        ("Europe/Berlin", "2013-12", "2013-11-30T23:00Z", "2013-12-31T23:00Z"),
        ("America/New_York", "2013-03", "2013-03-01T05:00Z", "2013-04-01T04:00Z"),
        ("America/New_York", "2013-11", "2013-11-01T04:00Z", "2013-12-01T05:00Z"),
        ("America/New_York", "2024-02", "2024-02-01T05:00Z", "2024-03-01T05:00Z"),
    ],
)
def test_f23_a_month_begins_and_ends_at_local_midnight(
    zone: str, month: str, start: str, end: str
) -> None:
    period = Monthly(at="06:00", timezone=zone).period_asked_for(month)

    assert period.key == month
    assert (period.start, period.end) == (
        datetime.fromisoformat(start),
        datetime.fromisoformat(end),
    )
    assert period.first_day == date.fromisoformat(f"{month}-01")


@given(day=days, zone=zones)
def test_months_follow_each_other_without_gap_or_overlap(day: date, zone: str) -> None:
    monthly = Monthly(at="06:00", timezone=zone)
    period = monthly.period_of_day(day)
    following = monthly.period_of_day(period.first_day + timedelta(days=31))

    assert period.key == day.strftime("%Y-%m")
    assert period.end == following.start
    assert period.key < following.key


@given(moment=moments, zone=zones)
@example(moment=datetime(2024, 3, 31, 22, 0, tzinfo=UTC), zone="Europe/Berlin")
def test_an_instant_lies_in_the_period_of_its_local_month_only(moment: datetime, zone: str) -> None:
    """Invariant: each row of a source is in exactly one monthly report (F23)."""
    monthly = Monthly(at="06:00", timezone=zone)
    local = moment.astimezone(ZoneInfo(zone)).date()
    around = [monthly.period_of_day(local + timedelta(days=n)) for n in (-31, 0, 31)]

    holding = {period.key for period in around if period.start <= moment < period.end}

    assert holding == {local.strftime("%Y-%m")}
    assert monthly.period_starting_at(moment).key in holding


def last_tick(moment: datetime, day: int, at: str, zone: str) -> datetime:
    """Look for the last instant that is a tick, among all days around."""
    hour, minute = map(int, at.split(":"))
    today = moment.astimezone(ZoneInfo(zone)).date()
    around = (today + timedelta(days=n) for n in range(-62, 3))
    found = (
        datetime.combine(each, time(hour, minute), ZoneInfo(zone))
        for each in around
        if each.day == day
    )
    return max(tick for tick in found if tick.astimezone(UTC) <= moment)


@given(moment=moments, day=ticks, at=times, zone=zones)
@example(datetime(2021, 3, 28, 1, 29, tzinfo=UTC), 28, "02:30", "Europe/Berlin")
@example(datetime(2021, 3, 28, 1, 30, tzinfo=UTC), 28, "02:30", "Europe/Berlin")
@example(datetime(2018, 10, 28, 1, 15, tzinfo=UTC), 28, "02:30", "Europe/Berlin")
@example(datetime(2020, 11, 1, 5, 45, tzinfo=UTC), 1, "01:30", "America/New_York")
def test_period_at_is_the_month_before_the_last_tick(
    moment: datetime, day: int, at: str, zone: str
) -> None:
    """F21: a run that names no period gets the last complete month, always the same one."""
    monthly = Monthly(at=at, timezone=zone, day=day)

    period = monthly.period_at(moment)

    tick = last_tick(moment, day, at, zone)
    assert period.key == (tick.date().replace(day=1) - timedelta(days=1)).strftime("%Y-%m")
    assert period.end <= moment
    assert monthly.period_at(moment + timedelta(minutes=1)).key >= period.key
    assert monthly.period_at(moment + timedelta(days=33)).key > period.key


@pytest.mark.parametrize(
    ("asked", "word"),
    [
        ("", "YYYY-MM,"), ("2013-1", "YYYY-MM,"), ("2013-13", "YYYY-MM,"), ("201301", "YYYY-MM,"),
        ("2013", "YYYY-MM,"), ("2013-01-01", "YYYY-MM,"), ("2013-01\n", "YYYY-MM,"),
        ("2013-W04", "YYYY-MM,"), (201301, "201301"), (None, "None"), (["2013-01"], "YYYY-MM,"),
        ("0001-01", "a month from 0001-02"), ("9999-12", "to 9999-11"),
    ],
)  # fmt: skip
def test_what_is_no_month_is_refused_with_the_allowed_form(asked: object, word: str) -> None:
    with pytest.raises(InputError, match="Param 'period' is") as refusal:
        BERLIN.period_asked_for(asked)

    assert word in str(refusal.value)
    assert "day" not in str(refusal.value)


def test_a_month_that_is_not_over_is_refused_to_the_second() -> None:
    end = datetime(2024, 3, 31, 22, tzinfo=UTC)

    with pytest.raises(InputError, match=r"'2024-03' is a month that ends .*a month that is over"):
        BERLIN.period_asked_for("2024-03", end - timedelta(seconds=1))
    assert BERLIN.period_asked_for("2024-03", end).end == end


def test_the_tick_is_a_day_of_the_month() -> None:
    assert Monthly(at="06:05", timezone="Europe/Berlin").cron == "5 6 1 * *"
    assert Monthly(at="23:30", timezone="Europe/Berlin", day=28).cron == "30 23 28 * *"
