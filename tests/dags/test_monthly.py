"""Months on Airflow's own timetable: each run and each backfill reports on the right one."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime
from itertools import pairwise
from zoneinfo import ZoneInfo

import pendulum
import pytest
from airflow.timetables.base import TimeRestriction, Timetable
from airflow.timetables.interval import CronDataIntervalTimetable

from reporting.airflow_edge.run_context import _period
from reporting.airflow_edge.timetable import EndingTimetable
from reporting.definition.monthly import Monthly
from reporting.errors import InputError

ZONES = ["Europe/Berlin", "America/New_York"]


@dataclass(frozen=True)
class DagRun:
    """What the period of a run is told by."""

    run_after: datetime
    data_interval_start: datetime | None = None
    run_type: str = "manual"


def monthly(zone: str, **changes: object) -> Monthly:
    fields = {"start": date(2013, 1, 1), "end": date(2013, 12, 31), **changes}
    return Monthly(at="06:00", timezone=zone, **fields)  # type: ignore[arg-type]


def timetable(schedule: Monthly) -> Timetable:
    """The timetable of the DAG, as Airflow stores it and reads it back."""
    assert schedule.end is not None
    end = schedule.period_of_day(schedule.end).end
    written = EndingTimetable(schedule.cron, schedule.timezone, end).serialize()
    return EndingTimetable.deserialize(written)


def runs(schedule: Monthly, since: str, until: str) -> list[DagRun]:
    """The runs that a backfill makes: Airflow asks the timetable for one after the other."""
    zone = schedule.timezone
    earliest, latest = (pendulum.instance(local(text, zone)) for text in (since, until))
    restriction = TimeRestriction(earliest, latest, catchup=True)
    ours, found, info = timetable(schedule), [], None
    while info := ours.next_dagrun_info_v2(last_dagrun_info=info, restriction=restriction):
        assert info.data_interval is not None
        found.append(DagRun(info.run_after, info.data_interval.start))
    return found


def local(text: str, zone: str) -> datetime:
    """A moment by the clocks of a zone."""
    return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone))


@pytest.mark.parametrize("day", [1, 15, 28])
@pytest.mark.parametrize("zone", ZONES)
def test_a_year_of_runs_is_every_month_once_and_ends_with_the_last(zone: str, day: int) -> None:
    schedule = monthly(zone, day=day)

    made = runs(schedule, "2013-01-01T00:00", "2014-06-30T00:00")

    keys = [_period(schedule, None, run).key for run in made]
    assert keys == [f"2013-{month:02}" for month in range(1, 13)]
    ticks = [run.run_after.astimezone(ZoneInfo(zone)) for run in made]
    assert {(tick.day, tick.hour, tick.minute) for tick in ticks} == {(day, 6, 0)}
    assert all(first < second for first, second in pairwise(ticks))


@pytest.mark.parametrize("day", [1, 15, 28])
@pytest.mark.parametrize("zone", ZONES)
def test_a_backfill_of_a_range_of_months_makes_just_these(zone: str, day: int) -> None:
    schedule = monthly(zone, day=day)

    made = runs(schedule, "2013-03-01T00:00", "2013-05-31T23:59:59")

    assert [_period(schedule, None, run).key for run in made] == ["2013-03", "2013-04", "2013-05"]


def test_the_month_of_the_start_is_the_first_one() -> None:
    schedule = monthly("Europe/Berlin", start=date(2013, 2, 20))
    start = schedule.period_of_day(schedule.start).start
    restriction = TimeRestriction(pendulum.instance(start), None, catchup=True)

    found = timetable(schedule).next_dagrun_info(
        last_automated_data_interval=None, restriction=restriction
    )

    assert found is not None
    assert found.data_interval is not None
    run = DagRun(found.run_after, found.data_interval.start)
    assert _period(schedule, None, run).key == "2013-02"


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize(
    ("asked_at", "month"),
    [
        ("2013-04-01T05:59", "2013-02"), ("2013-04-01T06:00", "2013-03"),
        ("2013-04-30T23:59", "2013-03"), ("2013-11-01T06:00", "2013-10"),
        ("2013-12-01T06:00", "2013-11"), ("2013-01-01T06:00", "2012-12"),
    ],
)  # fmt: skip
def test_f21_without_an_interval_the_last_complete_month_is_taken(
    zone: str, asked_at: str, month: str
) -> None:
    """As a trigger over REST does it whose logical date is null."""
    moment = local(asked_at, zone).astimezone(UTC)

    assert _period(monthly(zone), None, DagRun(moment)).key == month
    assert _period(monthly(zone), "2012-05", DagRun(moment)).key == "2012-05"


def test_a_run_by_hand_with_a_logical_date_reports_on_the_month_of_its_interval() -> None:
    schedule = monthly("America/New_York")
    cron = CronDataIntervalTimetable(schedule.cron, schedule.timezone)
    now = pendulum.datetime(2013, 4, 17, 9)

    interval = cron.infer_manual_data_interval(run_after=now)

    assert _period(schedule, None, DagRun(now, interval.start)).key == "2013-03"


def test_a_month_that_is_not_over_is_refused() -> None:
    now = datetime(2013, 4, 17, 9, tzinfo=UTC)

    with pytest.raises(InputError, match="a month that is over"):
        _period(monthly("Europe/Berlin"), None, DagRun(now, now))
    with pytest.raises(InputError, match="a month that is over"):
        _period(monthly("Europe/Berlin"), "2013-04", DagRun(now))
