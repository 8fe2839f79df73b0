"""Cursors are opaque, of one list only, and a bad one is refused."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from report_center.api.cursor import (
    LARGEST_RELEASE,
    LARGEST_RUN,
    ReleaseCursor,
    RunCursor,
    number_in,
    release_cursor,
    run_cursor,
)

pytestmark = pytest.mark.unit
RUNS: TypeAdapter[str] = TypeAdapter(RunCursor)
RELEASES: TypeAdapter[str] = TypeAdapter(ReleaseCursor)


@given(st.integers(1, LARGEST_RUN))
def test_a_cursor_gives_the_number_it_was_made_of(number: int) -> None:
    cursor = run_cursor(number)
    assert number_in(RUNS.validate_python(cursor)) == number
    with pytest.raises(ValidationError):
        RELEASES.validate_python(cursor)


@given(st.integers(1, LARGEST_RELEASE))
def test_a_cursor_of_releases_is_none_of_runs(number: int) -> None:
    cursor = release_cursor(number)
    assert number_in(RELEASES.validate_python(cursor)) == number
    with pytest.raises(ValidationError):
        RUNS.validate_python(cursor)


def test_the_last_page_has_none() -> None:
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
