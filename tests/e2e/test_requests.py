"""What is asked for: bad input is refused, equal requests meet, periods are what they say."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from reporting.errors import InputError
from tests.e2e.live import Live
from tests.e2e.test_dead_letters import reports


@pytest.mark.parametrize(
    ("conf", "named"),
    [
        ({"carrier": "united"}, ["carrier", "united", "^[A-Z0-9]{2}$"]),
        ({"period": "2013-13-01"}, ["period", "2013-13-01", "date"]),
        ({"refresh": "yes"}, ["refresh", "yes", "boolean"]),
    ],
)
def test_the_form_refuses_bad_values(live: Live, conf: dict[str, str], named: list[str]) -> None:
    with pytest.raises(InputError) as refusal:
        live.trigger("airline_on_time", **conf)
    assert all(part in str(refusal.value) for part in named)


def test_init_refuses_an_unknown_param(live: Live) -> None:
    run_id = live.trigger("airline_on_time", carier="UA", period="2013-01-05")
    assert live.ended("airline_on_time", run_id) == "failed"
    reason = live.failure("airline_on_time", run_id, "init")
    assert "'carier' is unknown" in reason
    assert "allowed: carrier, period" in reason
    states = live.states("airline_on_time", run_id)
    assert {states[f"fetch_{name}"] for name in ("flights", "weather", "airlines")} == {
        "upstream_failed"
    }
    assert states["compute"] == states["deliver"] == "upstream_failed"
    assert len(live.mails(run_id)) == len(live.slacks(run_id)) == 1


def test_two_triggers_at_once_make_one_publish(live: Live) -> None:
    """F26: the second ends at once, green, and points to the first."""
    pair = [live.trigger("airline_on_time", period="2013-01-06") for _ in range(2)]
    other = live.trigger("airline_on_time", period="2013-01-07")
    assert {live.ended("airline_on_time", run) for run in (*pair, other)} == {"success"}
    duplicates = [live.api.xcom("airline_on_time", run, "init", "duplicate_of") for run in pair]
    first = next(run for run, other_run in zip(pair, duplicates, strict=True) if not other_run)
    assert sorted(filter(None, duplicates)) == [first]
    released = live.rows(
        "SELECT period, run_id, version FROM reporting.release "
        "WHERE period IN ('2013-01-06', '2013-01-07') ORDER BY period"
    )
    assert released == [("2013-01-06", first, 1), ("2013-01-07", other, 1)]


def test_without_a_period_the_last_complete_day_is_taken(live: Live) -> None:
    """F21: no data interval, no KeyError; the documented default is used and shown."""
    run_id = live.trigger("hasty")
    assert live.ended("hasty", run_id) == "failed"  # there are no flights of yesterday
    shown = live.api.xcom("hasty", run_id, "init")
    now = datetime.now(UTC).astimezone(ZoneInfo("America/New_York"))
    complete = now.date() - timedelta(days=1 if now.hour >= 6 else 2)
    assert shown["period"] == complete.isoformat()
    assert "0 rows; at least 1 are due" in live.failure("hasty", run_id, "await_sources")


def test_many_triggers_at_once_make_one_publish(live: Live) -> None:
    """More than may run at once: the later ones start after the first has published."""
    with ThreadPoolExecutor(10) as threads:
        asked = [threads.submit(live.trigger, "hasty", period="2013-01-08") for _ in range(50)]
        runs = [future.result() for future in asked]
    assert {live.ended("hasty", run) for run in runs} == {"success"}
    released = live.rows(
        "SELECT run_id FROM reporting.release WHERE report = 'hasty' AND period = '2013-01-08'"
    )
    assert len(released) == 1
    others = [live.api.xcom("hasty", run, "init", "duplicate_of") for run in runs]
    assert sorted(filter(None, others)) == [released[0][0]] * 49


def test_what_is_published_is_made_anew_only_where_that_is_asked_for(live: Live) -> None:
    first = live.run("hasty", period="2013-01-09")
    slip = live.run("hasty", period="2013-01-09")
    assert live.api.xcom("hasty", slip, "init", "duplicate_of") == first
    assert set(live.states("hasty", slip).values()) == {"skipped"}
    shown = reports(live, "status", slip, "--exit-code")
    assert shown.code == 0
    assert f"published already as version 1 by run {first} on " in shown.text
    words = ("trigger", "hasty", "--period", "2013-01-09", "--wait")
    assert "It was published already as version 1" in reports(live, *words).text

    made = reports(live, *words, "--refresh")
    assert (made.code, "version 2" in made.text) == (0, True), made.text
    live.clear("hasty", slip, "init")
    assert live.ended("hasty", slip) == "success"
    released = live.rows(
        "SELECT run_id, version FROM reporting.release "
        "WHERE report = 'hasty' AND period = '2013-01-09' ORDER BY version"
    )
    assert [released[0], released[2]] == [(first, 1), (slip, 3)]


def test_a_day_that_is_not_over_is_refused(live: Live) -> None:
    now = datetime.now(UTC)
    body = {
        "logical_date": now.isoformat(),
        "data_interval_start": now.isoformat(),
        "data_interval_end": (now + timedelta(days=1)).isoformat(),
    }
    run_id = str(live.api.post("dags/hasty/dagRuns", body)["dag_run_id"])
    assert live.ended("hasty", run_id) == "failed"
    assert "allowed: a day that is over" in live.failure("hasty", run_id, "init")
