"""What the ledger says was undone, and for how long the rest is kept."""

from __future__ import annotations

from datetime import timedelta

import pytest

from reporting.core.undo import time_in_words
from reporting.core.warehouse.ledger import KEPT, NOTHING_LEFT, Entry

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("outcome", "undone", "kept_for"),
    [
        ("2 files removed", "2 files removed", None),
        (NOTHING_LEFT, None, None),
        (f"{KEPT}1 day", None, "1 day"),
        (f"1 uncommitted part removed; {KEPT}2 hours", "1 uncommitted part removed", "2 hours"),
    ],
)
def test_an_entry_tells_what_was_undone_from_what_is_kept(
    outcome: str, undone: str | None, kept_for: str | None
) -> None:
    entry = Entry("fetch", outcome, is_done=True)
    assert (entry.undone, entry.kept_for) == (undone, kept_for)


def test_what_failed_was_not_undone() -> None:
    assert Entry("fetch", "failed: no store", is_done=False).undone is None


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (86_400, "1 day"), (172_800, "2 days"), (129_600, "36 hours"), (3_600, "1 hour"),
        (600, "10 minutes"), (90, "90 seconds"), (0, "0 seconds"),
    ],
)  # fmt: skip
def test_a_time_is_told_in_its_largest_whole_unit(seconds: int, words: str) -> None:
    assert time_in_words(timedelta(seconds=seconds)) == words
