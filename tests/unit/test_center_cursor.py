"""Cursors are opaque, of one list only, and a bad one is refused."""

from __future__ import annotations

import base64
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from report_center.api.cursor import (
    LARGEST_RUN,
    LetterCursor,
    ReleaseCursor,
    ReportCursor,
    RunCursor,
    letter_cursor,
    name_in,
    number_in,
    order_in,
    place_in,
    release_cursor,
    report_cursor,
    run_cursor,
)
from reporting.airflow_edge.web_rights import LARGEST_NUMBER
from reporting.core.warehouse.dead_letters import Order, Place

pytestmark = pytest.mark.unit
RUNS: TypeAdapter[str] = TypeAdapter(RunCursor)
RELEASES: TypeAdapter[str] = TypeAdapter(ReleaseCursor)
REPORTS: TypeAdapter[str] = TypeAdapter(ReportCursor)
LETTERS: TypeAdapter[str] = TypeAdapter(LetterCursor)
TIMES = st.integers(-(10**16) + 1, 10**16 - 1).map(
    lambda ticks: datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=ticks)
)


@given(st.integers(1, LARGEST_RUN))
def test_a_cursor_gives_the_number_it_was_made_of(number: int) -> None:
    cursor = run_cursor(number)
    assert number_in(RUNS.validate_python(cursor)) == number
    with pytest.raises(ValidationError):
        RELEASES.validate_python(cursor)


@given(st.integers(1, LARGEST_NUMBER))
def test_a_cursor_of_releases_is_none_of_runs(number: int) -> None:
    cursor = release_cursor(number)
    assert number_in(RELEASES.validate_python(cursor)) == number
    with pytest.raises(ValidationError):
        RUNS.validate_python(cursor)


@given(st.sampled_from(["newest", "oldest"]), TIMES, st.integers(1, LARGEST_NUMBER))
def test_a_cursor_of_dead_letters_gives_place_and_order(
    order: Order, at: datetime, number: int
) -> None:
    cursor = letter_cursor(order, Place(at, number))
    assert cursor is not None
    assert place_in(LETTERS.validate_python(cursor)) == Place(at, number)
    assert order_in(cursor) == order
    for others in (RUNS, RELEASES):
        with pytest.raises(ValidationError, match="is no cursor of"):
            others.validate_python(cursor)


@pytest.mark.parametrize("held", ["newest@1:0", "newest:1", "oldest@:1", f"newest@{'9' * 17}:1"])
def test_places_no_letter_has_are_refused(held: str) -> None:
    cursor = base64.urlsafe_b64encode(held.encode()).decode().rstrip("=")
    with pytest.raises(ValidationError, match="is no cursor"):
        LETTERS.validate_python(cursor)


@given(st.text(st.characters(exclude_characters="\0", codec="utf-8"), max_size=60))
def test_a_cursor_of_reports_gives_the_name(name: str) -> None:
    cursor = report_cursor(name)
    assert name_in(REPORTS.validate_python(cursor)) == name
    for others in (RUNS, RELEASES, LETTERS):
        with pytest.raises(ValidationError):
            others.validate_python(cursor)


def test_the_last_page_has_none() -> None:
    assert report_cursor(None) is None
    assert name_in(None) is None
    assert letter_cursor("newest", None) is None
    assert place_in(None) is None
    assert run_cursor(None) is None
    assert release_cursor(None) is None
    assert number_in(None) is None


@given(st.text(max_size=80))
def test_any_other_text_is_refused(text: str) -> None:
    with pytest.raises(ValidationError, match=r"is no cursor|at most 64"):
        RUNS.validate_python(text)


@pytest.mark.parametrize(
    "held", ["runs:0", "runs:01", "runs:-1", "runs:2147483648", "runs:", "x:1"]
)
def test_numbers_no_database_has_are_refused(held: str) -> None:
    cursor = base64.urlsafe_b64encode(held.encode()).decode().rstrip("=")
    with pytest.raises(ValidationError):
        RUNS.validate_python(cursor)
