"""Numbers, sizes, durations and times of the pages."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from report_center.pages.formats import NOTHING, Formats
from report_center.pages.texts import texts_in

EN, ZH = (Formats(texts_in(language)) for language in ("en", "zh"))
AT = datetime(2026, 3, 5, 11, 4, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("seconds", "english", "chinese"),
    [
        (None, NOTHING, NOTHING),
        (0, "0.0 s", "0.0 秒"),
        (3.44, "3.4 s", "3.4 秒"),
        (59.96, "1 min", "1 分钟"),
        (65, "1 min 05 s", "1 分 05 秒"),
        (1800, "30 min", "30 分钟"),
        (3599.6, "1 h", "1 小时"),
        (3720, "1 h 02 min", "1 小时 02 分"),
        (86_400, "1 d", "1 天"),
        (100_000, "1 d 03 h", "1 天 03 小时"),
        (-5, "0.0 s", "0.0 秒"),
    ],
)
def test_durations(seconds: float | None, english: str, chinese: str) -> None:
    assert EN.duration(seconds) == english
    assert ZH.duration(seconds) == chinese


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (None, NOTHING),
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.0 kB"),
        (999_949, "999.9 kB"),
        (999_999, "1.0 MB"),
        (14_300_000, "14.3 MB"),
        (10**18, "1,000.0 PB"),
    ],
)
def test_sizes(count: int | None, text: str) -> None:
    assert EN.size(count) == text


@given(st.integers(0, 10**21))
def test_a_size_never_shows_a_thousand_of_a_unit_that_has_a_larger_one(count: int) -> None:
    number, unit = EN.size(count).split(" ")
    assert unit == "PB" or float(number.replace(",", "")) < 1000


@given(st.floats(0, 10**9))
def test_a_duration_never_shows_sixty_of_anything(seconds: float) -> None:
    assert "60" not in EN.duration(seconds).split(" ")[2:]


@pytest.mark.parametrize(
    ("share", "text"),
    [(None, NOTHING), (0, "0%"), (0.001, "1%"), (0.5, "50%"), (0.9999, "99%"), (1, "100%")],
)
def test_only_a_whole_share_is_a_hundred_percent(share: float | None, text: str) -> None:
    assert EN.percent(share) == text


@pytest.mark.parametrize(
    ("zone", "text"),
    [
        ("America/New_York", "2026-03-05 06:04:30 EST"),
        ("Asia/Shanghai", "2026-03-05 19:04:30 CST"),
        ("America/Sao_Paulo", "2026-03-05 08:04:30 UTC-03"),
        ("No/Such_Zone", "2026-03-05 11:04:30 UTC"),
        ("../etc/passwd", "2026-03-05 11:04:30 UTC"),
        ("", "2026-03-05 11:04:30 UTC"),
    ],
)
def test_a_time_is_told_in_the_zone_of_its_report_with_the_zone(zone: str, text: str) -> None:
    moment = EN.moment(AT, zone)
    assert moment is not None
    assert moment.text == text
    assert moment.machine == "2026-03-05T11:04:30Z"


def test_the_hour_that_comes_twice_is_told_apart() -> None:
    first = datetime(2026, 11, 1, 5, 30, tzinfo=UTC)
    told = [EN.moment(first + timedelta(hours=later), "America/New_York") for later in (0, 1)]
    assert [one and one.short for one in told] == ["2026-11-01 01:30 EDT", "2026-11-01 01:30 EST"]


def test_no_time_is_nothing() -> None:
    assert EN.moment(None) is None
