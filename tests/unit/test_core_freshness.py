"""A source is fresh when its newest row lies close enough to the end of the period, or to now."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from reporting.core.freshness import check_fresh, instant
from reporting.definition.daily import Daily
from reporting.definition.fresh import Fresh
from reporting.errors import TransientError
from tests.specimens import BERLIN, a_source

pytestmark = pytest.mark.unit

PERIOD = BERLIN.period_of_day(date(2024, 5, 1))  # ends on 2024-05-01T22:00Z
LATER = datetime(2024, 6, 1, tzinfo=UTC)
HOUR = timedelta(hours=1)


def is_fresh(newest: Any, now: datetime = LATER, within: timedelta = HOUR, period: Any = PERIOD,
             kind: str = "timestamptz") -> bool:  # fmt: skip
    source = a_source(columns={"at": kind}, fresh=Fresh("at", within=within))
    try:
        check_fresh(source, period, newest, now)
    except TransientError:
        return False
    return True


@pytest.mark.parametrize(
    ("newest", "now", "expected"),
    [
        (datetime(2024, 5, 1, 21, tzinfo=UTC), LATER, True),
        (datetime(2024, 5, 1, 20, 59, 59, 999999, UTC), LATER, False),
        (datetime.fromisoformat("2024-05-01T23:00:00+02:00"), LATER, True),
        # the period is not over: now counts
        (datetime(2024, 5, 1, 9, tzinfo=UTC), datetime(2024, 5, 1, 10, tzinfo=UTC), True),
        (datetime(2024, 5, 1, 8, tzinfo=UTC), datetime(2024, 5, 1, 10, tzinfo=UTC), False),
        # rows of the future are fresh
        (datetime(9999, 12, 31, tzinfo=UTC), LATER, True),
        (None, LATER, False),
    ],
)  # fmt: skip
def test_an_instant_is_compared_with_the_end_or_with_now(
    newest: datetime | None, now: datetime, expected: bool
) -> None:
    assert is_fresh(newest, now) is expected


def test_a_time_without_zone_is_one_of_the_reports_zone() -> None:
    assert is_fresh(datetime(2024, 5, 1, 23), kind="timestamp")  # noqa: DTZ001
    assert not is_fresh(datetime(2024, 5, 1, 22, 59), kind="timestamp")  # noqa: DTZ001


def test_a_day_counts_as_its_end_in_the_reports_zone() -> None:
    assert is_fresh(date(2024, 5, 1), kind="date")
    assert not is_fresh(date(2024, 4, 30), kind="date")
    assert is_fresh(date(2024, 4, 30), within=timedelta(days=1, seconds=1), kind="date")


@pytest.mark.parametrize("zone", ["America/New_York", "Asia/Shanghai", "Pacific/Kiritimati"])
def test_the_first_and_the_last_day_are_days_in_every_zone(zone: str) -> None:
    """9999-12-31 stands for "until further notice" in many a database."""
    period = Daily(at="06:00", timezone=zone).period_of_day(date(2024, 5, 1))

    assert is_fresh(date(9999, 12, 31), period=period, kind="date")
    assert not is_fresh(date(1, 1, 1), period=period, kind="date")
    assert is_fresh(datetime.max, period=period, kind="timestamp")  # noqa: DTZ901


def test_the_error_names_what_is_too_old_and_how_old_it_may_be() -> None:
    source = a_source(columns={"at": "date"}, fresh=Fresh("at", within=HOUR))

    with pytest.raises(TransientError) as fault:
        check_fresh(source, PERIOD, date(2024, 4, 1), LATER)
    for word in ("'orders'", "'at' is 2024-04-01", "2024-05-01T21:00:00+00:00", "1:00:00",
                 "Nothing was committed"):  # fmt: skip
        assert word in str(fault.value)
    with pytest.raises(TransientError, match="newest 'at' is NULL"):
        check_fresh(source, PERIOD, None, LATER)


@pytest.mark.parametrize(
    ("newest", "now", "age"),
    [
        (datetime(2024, 5, 1, 21, 30, tzinfo=UTC), LATER, 1800),
        (datetime(2024, 5, 1, 9, tzinfo=UTC), datetime(2024, 5, 1, 9, 15, tzinfo=UTC), 900),
        (datetime(2024, 5, 1, 23, tzinfo=UTC), LATER, -3600),
    ],
)
def test_the_age_of_the_newest_row_is_kept_as_it_was_judged(
    newest: datetime, now: datetime, age: float
) -> None:
    source = a_source(columns={"at": "timestamptz"}, fresh=Fresh("at", within=HOUR))
    found = check_fresh(source, PERIOD, newest, now)
    assert found == {"newest": newest.isoformat(), "newest_age_seconds": age}


def test_without_a_rule_anything_is_fresh() -> None:
    assert check_fresh(a_source(), PERIOD, None, LATER) == {}
    assert instant(LATER, "Asia/Shanghai") is LATER
