"""Backfills over any range and clock change: each period is made, and once (R25, R26)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

import pendulum
import pytest
from airflow.timetables.base import TimeRestriction
from hypothesis import example, given, settings
from hypothesis import strategies as st

from reporting.airflow_edge.dag import _timetable
from reporting.airflow_edge.run_context import _period
from reporting.airflow_edge.timetable import EndingTimetable
from reporting.definition.daily import Daily
from reporting.definition.monthly import Monthly
from reporting.errors import InputError
from tests.unit.test_definition_period import times

if TYPE_CHECKING:
    from reporting.definition.schedule import Schedule

ZONES = ["Europe/Berlin", "America/New_York"]
CHANGES = [
    ("Europe/Berlin", date(2024, 3, 31)),
    ("Europe/Berlin", date(2024, 10, 27)),
    ("America/New_York", date(2024, 3, 10)),
    ("America/New_York", date(2024, 11, 3)),
]
changes = st.sampled_from(CHANGES)
spans = st.integers(0, 5)
ends = st.sampled_from([None, date(2030, 12, 31)])  # with and without a timetable of our own


@dataclass(frozen=True)
class DagRun:
    """What the period of a run is told by."""

    run_after: datetime
    data_interval_start: datetime | None
    run_type: str = "backfill"


def infos(schedule: Schedule, first: date, last: date) -> list[Any]:
    """What Airflow makes runs of, from local midnight to the last second of the last day."""
    zone = ZoneInfo(schedule.timezone)
    since, until = datetime.combine(first, time.min, zone), datetime.combine(last, time.max, zone)
    restriction = TimeRestriction(pendulum.instance(since), pendulum.instance(until), catchup=True)
    ours: Any = _core(_timetable(schedule))
    found, info = [], None
    while info := ours.next_dagrun_info_v2(last_dagrun_info=info, restriction=restriction):
        found.append(info)
    return found


def _core(timetable: Any) -> Any:
    """Return the scheduler's side of a timetable, ours as it is written down and read back."""
    from airflow.serialization.encoders import coerce_to_core_timetable

    if isinstance(timetable, EndingTimetable):
        return EndingTimetable.deserialize(timetable.serialize())
    return coerce_to_core_timetable(timetable)


def keys(schedule: Schedule, made: list[Any]) -> list[str]:
    runs = [DagRun(info.run_after, info.data_interval.start) for info in made]
    return [_period(schedule, None, run).key for run in runs]


def days(first: date, last: date) -> list[str]:
    return [str(first + timedelta(n)) for n in range((last - first).days + 1)]


@given(change=changes, at=times, before=spans, after=spans, end=ends)
@example(change=CHANGES[0], at="02:30", before=1, after=1, end=None)
@example(change=CHANGES[0], at="02:00", before=0, after=0, end=None)
@example(change=CHANGES[1], at="02:30", before=1, after=1, end=None)
@example(change=CHANGES[1], at="02:30", before=0, after=0, end=date(2030, 12, 31))
@example(change=CHANGES[2], at="02:30", before=1, after=1, end=None)
@example(change=CHANGES[3], at="01:30", before=1, after=1, end=None)
@example(change=CHANGES[3], at="00:00", before=0, after=1, end=None)
def test_a_backfill_makes_each_day_once_over_a_clock_change(
    change: tuple[str, date], at: str, before: int, after: int, end: date | None
) -> None:
    """F69: and in the order of the days, so that the other direction is just that turned round."""
    zone, day = change
    first, last = day - timedelta(before), day + timedelta(after)
    schedule = Daily(at, zone, end=end)

    made = infos(schedule, first, last)

    assert keys(schedule, made) == days(first, last)
    assert len({info.logical_date for info in made}) == len(made)


@pytest.mark.parametrize("zone", ZONES)
@settings(max_examples=3)
@given(at=times)
@example(at="02:30")
@example(at="01:30")
def test_two_years_of_days_are_each_made_once(zone: str, at: str) -> None:
    first, last = date(2023, 12, 1), date(2025, 1, 31)
    schedule = Daily(at, zone)

    assert keys(schedule, infos(schedule, first, last)) == days(first, last)


@settings(max_examples=40)
@given(change=changes, at=times, end=ends)
@example(change=CHANGES[0], at="02:30", end=None)
def test_a_run_by_schedule_and_a_backfill_of_its_day_are_one_run(
    change: tuple[str, date], at: str, end: date | None
) -> None:
    """F69: Airflow knows a day's run by its logical date, so it must not depend on the range."""
    zone, day = change
    schedule = Daily(at, zone, end=end)
    by_schedule = infos(schedule, day - timedelta(40), day + timedelta(1))[-2]

    (alone,) = infos(schedule, day, day)

    assert alone == by_schedule


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("at", ["00:00", "01:30", "02:30", "23:59"])
@pytest.mark.parametrize("day", [1, 10, 28])
def test_two_years_of_months_are_each_made_once(zone: str, at: str, day: int) -> None:
    schedule = Monthly(at, zone, day=day)

    made = infos(schedule, date(2023, 1, 1), date(2024, 12, 31))

    assert keys(schedule, made) == [f"{y}-{m:02}" for y in (2023, 2024) for m in range(1, 13)]


@given(change=changes, at=times, shift=st.integers(-3, 3))
def test_f21_a_period_given_to_a_whole_backfill_is_refused_but_by_its_own_day(
    change: tuple[str, date], at: str, shift: int
) -> None:
    """Else every run of it would make one and the same day, and the others be skipped."""
    zone, day = change
    schedule, asked = Daily(at, zone), str(day + timedelta(shift))
    (info,) = infos(schedule, day, day)
    run = DagRun(pendulum.datetime(2025, 1, 1), info.data_interval.start)

    if not shift:
        assert _period(schedule, asked, run).key == asked
        return
    with pytest.raises(InputError, match=f"'{asked}' in the run of a backfill for {day}; allowed"):
        _period(schedule, asked, run)
