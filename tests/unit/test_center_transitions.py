"""The states a run has gone through are read off the times of its tasks."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from report_center.records.run import StepRow
from report_center.records.run_steps import own_times
from report_center.records.runs import RunRow
from report_center.records.transitions import Way, way_of
from tests.center_rows import a_run, a_step

pytestmark = pytest.mark.unit
NOON = datetime(2024, 5, 2, 12, tzinfo=UTC)


def step(name: str, state: str | None, *times: float | None) -> StepRow:
    """Return a task that was put in line, started and ended so many seconds after noon."""
    queued, started, ended = (
        None if at is None else NOON + timedelta(seconds=at)
        for at in (*times, None, None, None)[:3]
    )
    return a_step(name, state, queued_at=queued, started_at=started, ended_at=ended)


def seen(found: object) -> list[tuple[str, float]]:
    """Return states with their seconds after noon."""
    return [(one.state, (one.at - NOON).total_seconds()) for one in found]  # type: ignore[attr-defined]


def test_a_good_run_goes_through_all_states() -> None:
    steps = [
        step("init", "success", 1, 2, 4),
        step("fetch_orders", "success", 4, 5, 9),
        step("fetch_rates", "success", 4, 5, 20),
        step("await_sources", "success", 9, 9, 21),
        step("compute", "success", 22, 23, 30),
        step("store", "success", 30, 31, 40),
        step("deliver", "success", 40, 41, 42),
        step("compensate", "skipped", None, 41, 42),
    ]
    run = a_run("SUCCESS", queued_at=NOON, ended_at=NOON + timedelta(seconds=43))

    found = way_of(run, steps, ["orders", "rates"]).own

    assert seen(found) == [
        ("INIT", 0),
        ("FETCHING_DATA_ORDERS", 4),
        ("FETCHING_DATA_RATES", 9),
        ("DATA_AGGREGATED", 20),
        ("CALCULATING", 22),
        ("STORING_RESULT", 30),
        ("SUCCESS", 40),
    ]
    assert [one.until for one in found] == [*(one.at for one in found[1:]), None]


def test_a_failed_run_compensates_before_it_has_failed() -> None:
    steps = [
        step("init", "success", 1, 2, 4),
        step("fetch_orders", "failed", 4, 5, 9),
        step("await_sources", "failed", 9, 9, 10),
        step("compute", "upstream_failed", None, 10, 10),
        step("compensate", "success", 11, 12, 15),
    ]
    run = a_run("FAILED", queued_at=NOON, ended_at=NOON + timedelta(seconds=16))

    assert seen(way_of(run, steps, ["orders"]).own) == [
        ("INIT", 0),
        ("FETCHING_DATA_ORDERS", 4),
        ("COMPENSATING", 10),
        ("FAILED", 16),
    ]


def test_a_run_in_line_is_where_it_begins() -> None:
    run = a_run("INIT", is_over=False, queued_at=NOON)
    assert seen(way_of(run, [step("init", None)], ["orders"]).own) == [("INIT", 0)]


def test_a_run_marked_failed_that_never_began_has_failed_only() -> None:
    run = a_run("FAILED", queued_at=None, started_at=None, ended_at=NOON)
    assert seen(way_of(run, [], []).own) == [("FAILED", 0)]


DAYS = 3 * 86_400.0
CLEARED = a_run(
    "CALCULATING",
    is_over=False,
    clear_number=1,
    queued_at=NOON + timedelta(seconds=DAYS),
    started_at=NOON + timedelta(seconds=DAYS + 1),
)
KEPT = [
    step("init", "success", 1, 2, 4),
    step("fetch_orders", "success", 4, 5, 9),
    step("await_sources", "success", 9, 9, 10),
]


def cleared(*steps: StepRow, run: RunRow = CLEARED) -> Way:
    """Return the way of a run that was cleared three days after noon."""
    return way_of(run, [own_times(one, run.queued_at) for one in steps], ["orders"])


def test_a_run_that_is_run_again_whole_begins_anew() -> None:
    names = ("init", "fetch_orders", "await_sources", "compute", "store")
    found = cleared(*(step(name, None, 1, 2, 4) for name in names))
    assert (found.kept, seen(found.own)) == ((), [("INIT", DAYS)])


@pytest.mark.parametrize("state", [None, "scheduled", "queued", "upstream_failed", "skipped"])
def test_work_of_an_earlier_life_is_not_done_in_this_one(state: str | None) -> None:
    init = step("init", "running", DAYS + 1, DAYS + 2)
    found = cleared(init, step("compute", state, 10, 11, 20))
    assert (found.kept, seen(found.own)) == ((), [("INIT", DAYS)])


def test_a_task_that_runs_again_did_not_end_before_it_began() -> None:
    compute = step("compute", "running", DAYS + 1, DAYS + 2, 20)
    found = cleared(*KEPT, compute)
    assert seen(found.own) == [("DATA_AGGREGATED", DAYS), ("CALCULATING", DAYS + 1)]


def test_what_was_kept_is_passed_and_counts_no_time() -> None:
    compute = step("compute", "running", DAYS + 2, DAYS + 4)
    found = cleared(*KEPT, compute, step("store", None))
    assert found.kept == ("INIT", "FETCHING_DATA_ORDERS")
    assert seen(found.own) == [("DATA_AGGREGATED", DAYS), ("CALCULATING", DAYS + 2)]


def test_a_run_of_which_only_the_end_is_run_again_is_where_it_was() -> None:
    steps = [step("compute", "success", 10, 11, 20), step("store", "success", 20, 21, 30)]
    found = cleared(*KEPT, *steps, step("deliver", None, 30, 31, 40))
    assert found.kept[-3:] == ("DATA_AGGREGATED", "CALCULATING", "STORING_RESULT")
    assert seen(found.own) == [("SUCCESS", DAYS)]


def test_a_step_that_waited_before_others_were_cleared_goes_on() -> None:
    steps = [step("init", "success", 1, 2, 4), step("fetch_orders", "deferred", 4, 5)]
    found = cleared(*steps, step("fetch_rates", None, 4, 5, 9))
    assert (found.kept, seen(found.own)) == (("INIT",), [("FETCHING_DATA_ORDERS", DAYS)])


def test_a_task_that_the_dag_no_longer_has_is_not_waited_for() -> None:
    steps = [*KEPT, step("fetch_old", "removed", 4, 5, 6), step("compute", "running", 11, 12)]
    run = a_run("CALCULATING", is_over=False, queued_at=NOON)
    found = way_of(run, steps, ["orders", "old"])
    assert [state for state, _ in seen(found.own)] == [
        "INIT",
        "FETCHING_DATA_ORDERS",
        "DATA_AGGREGATED",
        "CALCULATING",
    ]


@pytest.mark.parametrize(
    ("state", "times", "shown"),
    [
        (None, (1, 2, 4), (None, None, None)),
        ("upstream_failed", (None, 2, 2), (None, None, None)),
        ("scheduled", (1, 2, 4), (None, None, None)),
        ("queued", (DAYS + 1, 2, 4), (DAYS + 1, None, None)),
        ("queued", (DAYS + 9, DAYS + 2, DAYS + 4), (DAYS + 9, DAYS + 2, DAYS + 4)),
        ("skipped", (None, 2, 4), (None, None, None)),
        ("running", (DAYS + 1, DAYS + 2, 4), (DAYS + 1, DAYS + 2, None)),
        ("success", (1, 2, 4), (1, 2, 4)),
        ("failed", (DAYS + 1, DAYS + 2, DAYS + 4), (DAYS + 1, DAYS + 2, DAYS + 4)),
    ],
)
def test_a_step_has_the_times_of_its_own_work_only(
    state: str | None, times: tuple[float | None, ...], shown: tuple[float | None, ...]
) -> None:
    known = replace(step("compute", state, *times), seconds=2.0)
    found = own_times(known, CLEARED.queued_at)
    assert (found.queued_at, found.started_at, found.ended_at) == tuple(
        None if at is None else NOON + timedelta(seconds=at) for at in shown
    )
    assert (found.seconds is None) == (found.ended_at is None)


def test_a_step_that_was_never_tried_has_no_times() -> None:
    found = own_times(replace(step("compute", "skipped", None, 2, 2), tries=0), NOON)
    assert (found.started_at, found.ended_at, found.seconds) == (None, None, None)
