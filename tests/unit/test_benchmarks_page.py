"""The page of figures says what was found, on what, and whether the goals are met."""

from __future__ import annotations

import re
from datetime import date

import pytest
from benchmarks.figure import Figure, ratio, table
from benchmarks.machine import Machine
from benchmarks.options import Options
from benchmarks.page import Conditions, page

pytestmark = pytest.mark.unit

QUICK = Figure("fetch", 1.8, "x", 1.9, "a floor of 3 s")
SLOW = Figure("times quicker", 4, "x", 5, "a peer of 12 s", at_least=True)
MACHINE = Machine("2 cores of a processor", 0.5, {"Python": "3.11.7", "dlt": "1.31.0"})
CONDITIONS = Conditions(MACHINE, Options(rounds=5), date(2024, 5, 1), "make bench")


def made(*figures: Figure) -> str:
    texts = {"fetching": "How it is fetched.", "reading": "How it is read."}
    return page(figures, texts, CONDITIONS)


@pytest.mark.parametrize(
    ("measured", "at_least", "met"),
    [(2, False, True), (1.9, False, True), (2.1, False, False), (2, True, True), (2.1, True, True),
     (1.9, True, False)],
)  # fmt: skip
def test_a_goal_is_the_most_or_the_least(measured: float, at_least: bool, met: bool) -> None:
    assert Figure("f", measured, "x", 2, "a peer", at_least=at_least).met is met


def test_the_table_has_a_row_per_figure() -> None:
    rows = [line for line in made(QUICK, SLOW).splitlines() if line.startswith("|")]

    assert rows == [
        "| benchmark | measured | goal | met | compared with |",
        "| --- | --- | --- | --- | --- |",
        "| fetch | 1.8 x | ≤ 1.9 x | yes | a floor of 3 s |",
        "| times quicker | 4 x | ≥ 5 x | NO | a peer of 12 s |",
    ]


def test_the_page_says_when_on_what_and_how() -> None:
    text = made(QUICK)

    assert "```console\n$ make bench\n```" in text
    assert "Measured on 2024-05-01 on 2 cores of a processor." in text
    assert "was\n0.5 in the minute before." in text
    assert "Versions: Python 3.11.7, dlt 1.31.0." in text
    assert "medians of 5 rounds" in text
    assert re.findall(r"### (.*)\n\n(.*)\n", text) == [
        ("fetching", "How it is fetched."),
        ("reading", "How it is read."),
    ]


def test_the_page_ends_with_one_line_break_and_names_no_place_of_this_machine() -> None:
    text = made(QUICK)

    assert text.endswith("read.\n")
    assert "/" not in re.sub(r"https?://\S+|docs/performance.md", "", text)


def test_the_printed_table_is_aligned() -> None:
    head, first, second = table([QUICK, SLOW]).splitlines()

    assert head.index("goal") == first.index("≤ 1.9") == second.index("≥ 5")


def test_a_ratio_is_rounded_to_what_can_be_told() -> None:
    assert ratio(10, 3) == 3.33
