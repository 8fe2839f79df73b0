"""What is late: by the schedule, and by how long a report usually takes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from report_center.records.punctuality import Late, lateness
from report_center.records.usual import expected_end
from tests.center_rows import a_report_row, a_run

pytestmark = pytest.mark.unit
NOON = datetime(2024, 5, 2, 12, tzinfo=UTC)
HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)
WORKING = a_run("CALCULATING", is_over=False, started_at=NOON)


def test_the_end_is_expected_after_the_usual_time() -> None:
    assert expected_end(WORKING, 600) == NOON + 10 * MINUTE
    assert expected_end(WORKING, None) is None
    assert expected_end(a_run("SUCCESS"), 600) is None
    assert expected_end(None, 600) is None


@pytest.mark.parametrize(
    ("minutes", "is_late"), [(10, False), (15, False), (17, True), (600, True)]
)
def test_a_run_is_late_when_it_takes_half_as_long_again(minutes: int, is_late: bool) -> None:
    found = lateness(a_report_row(), WORKING, 600, NOON + minutes * MINUTE)
    assert found == (Late(NOON + 10 * MINUTE, "run") if is_late else None)


def test_a_run_of_which_nothing_is_usual_is_not_late() -> None:
    assert lateness(a_report_row(), WORKING, None, NOON + 100 * HOUR) is None


def test_a_run_that_waits_in_line_is_late_after_a_while() -> None:
    waiting = a_run("INIT", is_over=False, started_at=None, queued_at=NOON)
    assert lateness(a_report_row(), waiting, 600, NOON + MINUTE) is None
    assert lateness(a_report_row(), waiting, 600, NOON + HOUR) == Late(NOON, "run")


def test_a_run_that_is_due_and_has_not_begun_is_late() -> None:
    due = a_report_row(next_run_at=NOON)
    for last in (None, a_run("SUCCESS"), a_run("FAILED")):
        assert lateness(due, last, 600, NOON + MINUTE) is None
        assert lateness(due, last, 600, NOON + HOUR) == Late(NOON, None)


def test_a_run_by_hand_that_is_on_time_hides_no_schedule_that_was_missed() -> None:
    due = a_report_row(next_run_at=NOON - HOUR)
    assert lateness(due, WORKING, 600, NOON + MINUTE) == Late(NOON - HOUR, None)
    slow = NOON + HOUR
    assert lateness(due, WORKING, 600, slow) == Late(NOON + 10 * MINUTE, "run")


@pytest.mark.parametrize("changes", [{"is_paused": True}, {"is_gone": True}, {"next_run_at": None}])
def test_what_nothing_is_to_start_is_not_late(changes: dict[str, Any]) -> None:
    due = a_report_row(**{"next_run_at": NOON, **changes})
    assert lateness(due, None, 1, NOON + HOUR) is None
