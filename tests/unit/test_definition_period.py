"""Periods: the local day, start inclusive and end exclusive, over every clock change (R26, F23)."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from reporting.definition.daily import Daily
from reporting.errors import InputError

pytestmark = pytest.mark.unit

# Among them: changes at midnight, by half an hour, a day that never was, and none at all.
ZONES = [
    "Europe/Berlin", "America/New_York", "America/Sao_Paulo", "America/Havana", "Asia/Beirut",
    "Atlantic/Azores", "Australia/Lord_Howe", "Pacific/Apia", "Asia/Shanghai", "Asia/Kathmandu",
    "UTC",
]  # fmt: skip
days = st.dates(date(1990, 1, 1), date(2037, 12, 30))
zones = st.sampled_from(ZONES)
times = st.builds("{:02}:{:02}".format, st.integers(0, 23), st.integers(0, 59))
moments = st.datetimes(datetime(1990, 1, 3), datetime(2037, 12, 30), timezones=st.just(UTC))  # noqa: DTZ001


@pytest.mark.parametrize(
    ("zone", "day", "hours"),
    [
        ("Europe/Berlin", date(2024, 3, 31), 23),
        ("Europe/Berlin", date(2024, 10, 27), 25),
        ("Europe/Berlin", date(2024, 5, 1), 24),
        ("America/New_York", date(2024, 3, 10), 23),
        ("America/New_York", date(2024, 11, 3), 25),
        ("Australia/Lord_Howe", date(2024, 4, 7), 24.5),
        ("Pacific/Apia", date(2011, 12, 30), 0),
    ],
)
def test_a_day_is_as_long_as_the_clocks_make_it(zone: str, day: date, hours: float) -> None:
    period = Daily(at="06:00", timezone=zone).period_of_day(day)

    assert period.end - period.start == timedelta(hours=hours)


@given(day=days, zone=zones)
def test_days_follow_each_other_without_gap_or_overlap(day: date, zone: str) -> None:
    daily = Daily(at="06:00", timezone=zone)
    period, following = daily.period_of_day(day), daily.period_of_day(day + timedelta(days=1))

    assert period.end == following.start
    assert period.key < following.key
    assert period.first_day == day


@given(moment=moments, zone=zones)
@example(moment=datetime(2024, 3, 31, 0, 59, tzinfo=UTC), zone="Europe/Berlin")
@example(moment=datetime(2024, 10, 27, 0, 30, tzinfo=UTC), zone="Europe/Berlin")
def test_an_instant_lies_in_the_period_of_its_local_day_only(moment: datetime, zone: str) -> None:
    """Invariant: each row of a source is in exactly one daily report (F23)."""
    daily = Daily(at="06:00", timezone=zone)
    local_day = moment.astimezone(ZoneInfo(zone)).date()
    around = [daily.period_of_day(local_day + timedelta(days=n)) for n in (-2, -1, 0, 1, 2)]

    holding = [period.first_day for period in around if period.start <= moment < period.end]

    assert holding == [local_day]
    assert daily.period_starting_at(moment).first_day == local_day


def test_f23_two_seconds_around_midnight_in_shanghai_are_two_days() -> None:
    daily = Daily(at="06:00", timezone="Asia/Shanghai")
    first, second = daily.period_of_day(date(2024, 5, 1)), daily.period_of_day(date(2024, 5, 2))
    before = datetime(2024, 5, 1, 15, 59, 59, tzinfo=UTC)
    after = datetime(2024, 5, 1, 16, 0, 0, tzinfo=UTC)

    assert first.start <= before < first.end
    assert second.start <= after < second.end
    assert not first.start <= after < first.end


def last_tick(moment: datetime, at: str, zone: str) -> datetime:
    """Walk back minute by minute over UTC until local clocks have passed the time of the tick.

    That is: look for the last instant that is a tick, a tick being where a day's wall clock,
    turned into an instant, puts it.
    """
    hour, minute = map(int, at.split(":"))
    today = moment.astimezone(ZoneInfo(zone)).date()
    ticks = [
        datetime.combine(today + timedelta(days=n), time(hour, minute), ZoneInfo(zone))
        for n in range(-3, 3)
    ]
    return max(tick for tick in ticks if tick.astimezone(UTC) <= moment)


@given(moment=moments, at=times, zone=zones)
@example(moment=datetime(2024, 3, 31, 1, 15, tzinfo=UTC), at="02:30", zone="Europe/Berlin")
@example(moment=datetime(2024, 3, 31, 1, 30, tzinfo=UTC), at="02:30", zone="Europe/Berlin")
@example(moment=datetime(2024, 10, 27, 1, 15, tzinfo=UTC), at="02:30", zone="Europe/Berlin")
@example(moment=datetime(2024, 11, 3, 5, 45, tzinfo=UTC), at="01:30", zone="America/New_York")
def test_period_at_is_the_day_before_the_last_tick(moment: datetime, at: str, zone: str) -> None:
    """F21: a run that names no period gets the last complete day, always the same one."""
    daily = Daily(at=at, timezone=zone)

    period = daily.period_at(moment)

    assert period.first_day == last_tick(moment, at, zone).date() - timedelta(days=1)


@given(moment=moments, at=times, zone=zones)
def test_period_at_is_over_and_never_goes_back(moment: datetime, at: str, zone: str) -> None:
    daily = Daily(at=at, timezone=zone)

    period = daily.period_at(moment)

    assert period.end <= moment
    assert daily.period_at(moment + timedelta(minutes=1)).first_day >= period.first_day
    assert daily.period_at(moment + timedelta(days=1, hours=2)).first_day > period.first_day


@pytest.mark.parametrize(
    ("asked", "word"),
    [
        ("", "YYYY-MM-DD"), ("20240331", "YYYY-MM-DD"), ("2024-W13-7", "YYYY-MM-DD"),
        ("2024-02-30", "YYYY-MM-DD"), ("2024-3-1", "YYYY-MM-DD"), ("2024-03-31\n", "YYYY-MM-DD"),
        ("2024-03-31T00:00", "YYYY-MM-DD"), (20240331, "20240331"), (None, "None"),
        (["2024-03-31"], "YYYY-MM-DD"), ("0001-01-01", "a day from"), ("9999-12-31", "a day from"),
    ],
)  # fmt: skip
def test_what_is_no_day_is_refused_with_the_allowed_form(asked: object, word: str) -> None:
    with pytest.raises(InputError, match="Param 'period' is") as refusal:
        Daily(at="06:00", timezone="Asia/Shanghai").period_asked_for(asked)

    assert word in str(refusal.value)


def test_f21_the_period_asked_for_is_that_very_day() -> None:
    period = Daily(at="06:00", timezone="Europe/Berlin").period_asked_for("2024-03-31")

    assert (period.key, period.start, period.end) == (
        "2024-03-31",
        datetime(2024, 3, 30, 23, tzinfo=UTC),
        datetime(2024, 3, 31, 22, tzinfo=UTC),
    )


def test_a_day_that_is_not_over_is_refused_to_the_second() -> None:
    """Half a day's figures must not look like a whole day's."""
    daily = Daily(at="06:00", timezone="Asia/Shanghai")
    end = datetime(2024, 5, 1, 16, tzinfo=UTC)

    with pytest.raises(InputError, match="a day that is over"):
        daily.period_asked_for("2024-05-01", end - timedelta(seconds=1))
    assert daily.period_asked_for("2024-05-01", end).end == end


def test_the_cron_line_is_the_local_time() -> None:
    assert Daily(at="06:05", timezone="Europe/Berlin").cron == "5 6 * * *"
