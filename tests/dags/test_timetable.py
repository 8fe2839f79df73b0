"""The timetable that ends, as Airflow stores it and reads it back."""

from __future__ import annotations

from datetime import UTC, datetime

from airflow.timetables.base import DataInterval, TimeRestriction

from reporting.airflow_edge.timetable import EndingTimetable

ZONE = "America/New_York"
END = datetime(2014, 1, 1, 5, tzinfo=UTC)
EVER = TimeRestriction(earliest=None, latest=None, catchup=True)


def after(day: datetime) -> datetime | None:
    """Return the start of the daily interval that follows one that starts at `day`."""
    import pendulum

    start = pendulum.instance(day)
    timetable = EndingTimetable.deserialize(EndingTimetable("0 6 * * *", ZONE, END).serialize())
    found = timetable.next_dagrun_info(
        last_automated_data_interval=DataInterval(start, start.add(days=1)), restriction=EVER
    )
    return None if found is None or found.data_interval is None else found.data_interval.start


def test_the_last_day_is_scheduled_and_nothing_after() -> None:
    thirtieth, last = (datetime(2013, 12, day, 11, tzinfo=UTC) for day in (30, 31))
    assert after(thirtieth) == last
    assert after(last) is None


def test_clock_change_keeps_the_local_time() -> None:
    saturday = datetime(2013, 11, 2, 10, tzinfo=UTC)
    assert after(saturday) == datetime(2013, 11, 3, 11, tzinfo=UTC)
