"""The checks of the fault harness: each finds what it is there for, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.faults.checks import Expected, breaches, check_seen
from tests.faults.found import Alert, Found, FoundRelease, FoundRun
from tests.faults.subject import Figures, figures

pytestmark = pytest.mark.unit

DAY, OTHER_DAY = "2000-01-02", "2000-01-03"
STARTED = "2026-01-01T00:00:00+00:00"
FIGURES = figures({"rows": [{"id": 1}, {"id": 2}], "totals": [{"rows": 2}]})
EXPECTED: Expected = {("r", DAY): FIGURES, ("r", OTHER_DAY): FIGURES}
GREEN = FoundRun("r", "green", DAY, "success", 0, STARTED)
TWICE = FoundRun("r", "twice", DAY, "success", 0, STARTED, duplicate_of="green")
ONCE_MORE = replace(TWICE, run_id="more", duplicate_of="twice")
RED = FoundRun("r", "red one", OTHER_DAY, "failed", 2, STARTED)
RELEASE = FoundRelease("r", DAY, "key", GREEN.life, is_current=True, figures=FIGURES, files=("f",))
BEFORE = replace(RELEASE, life=("green", 0, "before"), is_current=False, files=())
SUBJECT = f"failed r red one #2 {STARTED}"
WELL = Found(
    runs=(GREEN, TWICE, RED),
    releases=(BEFORE, RELEASE),
    closed=frozenset({("r", *RED.life)}),
    alerts=(Alert(SUBJECT, "email", True), Alert(SUBJECT, "slack", True)),
    channels={"r": frozenset({"email", "slack"})},
    told={("email", "red one"): 1, ("slack", "red one"): 1},
    files=frozenset({"f"}),
    leftovers={"claim": ()},
)


def test_nothing_is_broken_where_all_is_well() -> None:
    assert breaches(WELL, EXPECTED) == []


def releases(**changes: Any) -> Callable[[Found], Found]:
    """Change the current release."""
    return lambda found: replace(found, releases=(BEFORE, replace(RELEASE, **changes)))


def rows(*rows: dict[str, Any]) -> Figures:
    return {**FIGURES, **figures({"rows": rows})}


def runs(*changed: FoundRun) -> Callable[[Found], Found]:
    """Put runs in place of those of their id."""
    names = {run.run_id for run in changed}
    return lambda found: replace(
        found, runs=(*(run for run in found.runs if run.run_id not in names), *changed)
    )


def found(**changes: Any) -> Callable[[Found], Found]:
    return lambda well: replace(well, **changes)


LOST, DOUBLED, CHANGED = (
    rows({"id": 1}),
    rows({"id": 1}, {"id": 2}, {"id": 2}),
    rows({"id": 1}, {"id": 3}),
)
LIVES_BEFORE = Alert(f"failed r red one #1 {STARTED}", "email", True)
BROKEN = {
    "a row is lost": (1, DAY, releases(figures=LOST)),
    "a row is doubled": (1, DAY, releases(figures=DOUBLED)),
    "a row is changed": (1, DAY, releases(figures=CHANGED)),
    "a table is lost": (1, DAY, releases(figures={"rows": FIGURES["rows"]})),
    "two are current": (2, DAY, found(releases=(replace(BEFORE, is_current=True), RELEASE))),
    "none is current": (2, DAY, releases(is_current=False)),
    "green without a release": (3, "lost", runs(replace(GREEN, run_id="lost"))),
    "a duplicate of a duplicate": (3, "more", runs(ONCE_MORE)),
    "not compensated": (4, "red one", found(closed=frozenset())),
    "only an earlier life compensated": (
        4, "red one", found(closed=frozenset({("r", "red one", 1, STARTED)})),
    ),
    "never told": (4, "red one", found(alerts=(), told={})),
    "told by one channel only": (
        4, "red one", found(alerts=WELL.alerts[:1], told={("email", "red one"): 1}),
    ),
    "told twice": (4, "red one", found(told={**WELL.told, ("email", "red one"): 2})),
    "a receipt and no message": (4, "red one", found(alerts=(*WELL.alerts, LIVES_BEFORE))),
    "not sent": (4, "red one", found(alerts=(*WELL.alerts[:1], Alert(SUBJECT, "slack", False)))),
    "something is left": (5, "red one", found(leftovers={"claim": ("red one",)})),
    "a file nobody names": (5, "g", found(files=frozenset({"f", "g"}))),
    "a named file is gone": (5, "f", found(files=frozenset())),
    "a run that never ends": (8, "green", runs(replace(GREEN, state="running"))),
    "a task that goes on": (8, "green", runs(replace(GREEN, under_way=("deliver",)))),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_broken_is_found(name: str) -> None:
    invariant, about, breaking = BROKEN[name]

    said = breaches(breaking(WELL), EXPECTED)

    assert {(breach.invariant, breach.about) for breach in said} == {(invariant, about)}
    assert all(about in str(breach) for breach in said)


def test_a_duplicate_may_point_to_one_that_has_published_and_was_cleared_since() -> None:
    """Cleared while another run worked, it stands back itself; its release stays the answer."""
    cleared = replace(GREEN, clear_number=GREEN.clear_number + 1, duplicate_of="other")
    others = [run for run in WELL.runs if run.run_id != GREEN.run_id]

    assert breaches(replace(WELL, runs=(*others, cleared)), EXPECTED) == []


def test_a_release_that_says_what_it_lacks_may_have_other_figures() -> None:
    partial = replace(RELEASE, figures=LOST, lacks_sources=True)

    assert breaches(replace(WELL, releases=(BEFORE, partial)), EXPECTED) == []


def test_a_failed_run_whose_figures_are_out_is_told_of_and_not_undone() -> None:
    """Such as after a failed `deliver`: the pivot is passed."""
    out = replace(RELEASE, period=OTHER_DAY, request_key="other", life=RED.life, files=())
    well = replace(WELL, releases=(BEFORE, RELEASE, out), closed=frozenset())

    assert breaches(well, EXPECTED) == []


def test_a_failed_run_whose_earlier_life_has_published_is_to_be_undone() -> None:
    out = replace(RELEASE, period=OTHER_DAY, request_key="other", life=("red one", 1, STARTED))
    broken = replace(WELL, releases=(BEFORE, RELEASE, out), closed=frozenset())

    assert {breach.invariant for breach in breaches(broken, EXPECTED)} == {4}


@pytest.mark.parametrize(
    ("seen", "ids"),
    [
        (FIGURES, {1, 2}),
        (LOST, {1}),
        ({"rows": FIGURES["rows"]}, {1}),
        (DOUBLED, {1}),
    ],
    ids=["of two releases", "half", "one table only", "doubled"],
)
def test_a_reader_that_sees_no_whole_release_says_so(seen: Figures, ids: set[int]) -> None:
    assert [breach.invariant for breach in check_seen(seen, ids, FIGURES, DAY)] == [2]


def test_a_reader_that_sees_a_whole_release_says_nothing() -> None:
    assert list(check_seen(FIGURES, {1}, FIGURES, DAY)) == []
