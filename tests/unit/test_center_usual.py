"""What is late: by the schedule, and by how long a report usually takes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from report_center.records.usual import expected_end, late_since
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
    found = late_since(a_report_row(), WORKING, 600, NOON + minutes * MINUTE)
    assert found == (NOON + 10 * MINUTE if is_late else None)


def test_a_run_of_which_nothing_is_usual_is_not_late() -> None:
    assert late_since(a_report_row(), WORKING, None, NOON + 100 * HOUR) is None


def test_a_run_that_waits_in_line_is_late_after_a_while() -> None:
    waiting = a_run("INIT", is_over=False, started_at=None, queued_at=NOON)
    assert late_since(a_report_row(), waiting, 600, NOON + MINUTE) is None
    assert late_since(a_report_row(), waiting, 600, NOON + HOUR) == NOON


def test_a_run_that_is_due_and_has_not_begun_is_late() -> None:
    due = a_report_row(next_run_at=NOON)
    for last in (None, a_run("SUCCESS"), a_run("FAILED")):
        assert late_since(due, last, 600, NOON + MINUTE) is None
        assert late_since(due, last, 600, NOON + HOUR) == NOON
    assert late_since(a_report_row(next_run_at=NOON, is_paused=True), None, 1, NOON + HOUR) is None
    assert late_since(a_report_row(next_run_at=None), None, None, NOON) is None
