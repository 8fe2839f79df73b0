"""The list of runs in the report center: every run once, and picked by what is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import psycopg
import pytest

from embedded_stack.stack import Stack
from report_center.records.overview import today
from report_center.records.releases import ReleasesWanted, releases
from report_center.records.run_list import runs
from report_center.records.runs import RunsWanted
from tests.integration.many_known_runs import MANY, OURS, known_runs, listed
from tests.integration.metadata import Metadata


@pytest.fixture(scope="module")
def known(stack: Stack) -> Iterator[Metadata]:
    with known_runs(stack) as found:
        yield found


def test_pages_hold_every_run_once_the_newest_first(known: Metadata) -> None:
    found = [run.number for run in listed(known, limit=7)]
    assert found == sorted(found, reverse=True)
    assert len(set(found)) == len(found) == MANY.runs


def test_pages_stay_the_same_while_runs_are_added(known: Metadata) -> None:
    with known.looking() as (session, elsewhere):
        first = runs(session, elsewhere, RunsWanted(limit=10))
    known.execute(
        "INSERT INTO dag_run (dag_id, run_id, state, run_type, conf, run_after) "
        "VALUES (%s, 'later', 'queued', 'manual', '{}', now())",
        OURS,
    )
    try:
        with known.looking() as (session, elsewhere):
            second = runs(session, elsewhere, RunsWanted(limit=10, before=first.next_before))
    finally:
        known.execute("DELETE FROM dag_run WHERE run_id = 'later'")
    numbers = [run.number for run in (*first.runs, *second.runs)]
    assert len(set(numbers)) == 20
    assert max(numbers) - min(numbers) == 19


@pytest.mark.parametrize("state", ["SUCCESS", "FAILED", "FETCHING_DATA_ORDERS", "INIT"])
def test_a_state_picks_the_runs_that_are_in_it(known: Metadata, state: str) -> None:
    every = [run.number for run in listed(known) if run.state == state]
    assert [run.number for run in listed(known, state=state, limit=3)] == every
    assert bool(every) == (state != "INIT")


def test_any_source_counts_as_fetching(known: Metadata) -> None:
    assert len(listed(known, state="FETCHING_DATA")) == MANY.runs // 50


def test_the_period_picks_runs(known: Metadata) -> None:
    days = sorted({run.period or "" for run in listed(known)})
    first, last = days[3], days[5]
    every = [run.number for run in listed(known) if first <= (run.period or "") <= last]
    assert [r.number for r in listed(known, period_from=first, period_to=last)] == every
    assert every
    month = days[0][:7]
    in_month = [r.number for r in listed(known) if (r.period or "").startswith(month)]
    assert [r.number for r in listed(known, period_from=month, period_to=month)] == in_month


def test_a_period_may_be_as_early_and_late_as_a_calendar_goes(known: Metadata) -> None:
    for first, last in (("0001-01-01", "9999-12-31"), ("0001-01", "9999-12")):
        assert len(listed(known, period_from=first, period_to=last)) == MANY.runs
    assert listed(known, period_from="9999-12-31") == []
    assert listed(known, period_to="0001-01-01") == []


def test_a_run_whose_init_failed_has_the_period_of_its_interval(known: Metadata) -> None:
    # Midnight in Berlin is still the day before in UTC.
    known.execute(
        "INSERT INTO dag_run (dag_id, run_id, state, run_type, conf, run_after, "
        "data_interval_start, data_interval_end) VALUES (%s, 'early', 'failed', 'scheduled', '{}', "
        "'2024-05-02 04:00+00', '2024-04-30 22:00+00', '2024-05-01 22:00+00')",
        OURS,
    )
    try:
        assert [r.run_id for r in listed(known, period_from="2024-05-01", period_to="2024-05-01")]
        assert not listed(known, period_from="2024-04-30", period_to="2024-04-30")
        assert not listed(known, period_from="2024-05-02", period_to="2024-05-02")
        assert listed(known, period_from="2024-05", period_to="2024-05")
    finally:
        known.execute("DELETE FROM dag_run WHERE run_id = 'early'")


def test_who_and_how_pick_runs(known: Metadata) -> None:
    mine = listed(known, triggered_by="somebody")
    assert {(run.triggered_by, run.how) for run in mine} == {("somebody", "ui")}
    assert [run.number for run in listed(known, how="ui")] == [run.number for run in mine]
    assert listed(known, triggered_by="nobody") == []


def test_f66_what_may_not_be_read_is_not_listed(known: Metadata) -> None:
    assert {run.report for run in listed(known, [OURS])} == {OURS}
    assert listed(known, []) == []
    with known.looking() as (session, elsewhere):
        shown = today(session, elsewhere, datetime.now(UTC), [OURS])
        assert [row.report.name for row in shown.rows] == [OURS]
        assert today(session, elsewhere, datetime.now(UTC), []).rows == ()
    with psycopg.connect(known.warehouse, autocommit=True) as warehouse:
        assert {one.report for one in releases(warehouse, ReleasesWanted([OURS]))} == {OURS}
        assert releases(warehouse, ReleasesWanted([])) == []
