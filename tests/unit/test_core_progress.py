"""A long fetch says how far it is, a quick one says nothing."""

from __future__ import annotations

import logging

import pytest

from reporting.core.progress import SECONDS, Progress

pytestmark = pytest.mark.unit


class Clock:
    """Shows the time it is set to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def told(caplog: pytest.LogCaptureFixture, instants: list[float]) -> list[str]:
    """Return what is logged when batches come at these seconds after the start."""
    clock = Clock()
    with caplog.at_level(logging.INFO, logger="reporting.core.progress"):
        progress = Progress("orders", clock)
        for number, seconds in enumerate(instants, 1):
            clock.now = 1000.0 + seconds
            progress(number * 1_000_000, number * 2_500_000)
    return [record.getMessage() for record in caplog.records]


def test_a_quick_fetch_says_nothing(caplog: pytest.LogCaptureFixture) -> None:
    assert told(caplog, [0, 1, SECONDS - 0.1]) == []


def test_rows_and_bytes_are_told_at_most_once_in_a_while(caplog: pytest.LogCaptureFixture) -> None:
    lines = told(caplog, [1, SECONDS, SECONDS + 1, 2 * SECONDS, 5 * SECONDS, 5 * SECONDS + 1])

    assert lines == [
        "orders: 2,000,000 rows so far, 5.0 MB.",
        "orders: 4,000,000 rows so far, 10.0 MB.",
        "orders: 5,000,000 rows so far, 12.5 MB.",
    ]
