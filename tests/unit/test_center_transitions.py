"""The states a run has gone through are read off the times of its tasks."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from report_center.records.run import StepRow
from report_center.records.transitions import transitions
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

    found = transitions(run, steps, ["orders", "rates"])

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

    assert seen(transitions(run, steps, ["orders"])) == [
        ("INIT", 0),
        ("FETCHING_DATA_ORDERS", 4),
        ("COMPENSATING", 10),
        ("FAILED", 16),
    ]


def test_a_run_in_line_is_where_it_begins() -> None:
    run = a_run("INIT", is_over=False, queued_at=NOON)
    assert seen(transitions(run, [step("init", None)], ["orders"])) == [("INIT", 0)]


def test_a_run_marked_failed_that_never_began_has_failed_only() -> None:
    run = a_run("FAILED", queued_at=None, started_at=None, ended_at=NOON)
    assert seen(transitions(run, [], [])) == [("FAILED", 0)]
