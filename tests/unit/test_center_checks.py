"""Which checks a release has passed, with its own numbers and none that nobody has kept."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from report_center.pages.check_lines import check_lines
from report_center.pages.formats import Formats
from report_center.pages.texts import LANGUAGES, texts_in
from report_center.records.checks import CheckRow, Kind, checks_of
from reporting.core.freshness import NEWEST_AGE
from reporting.core.reconcile.staged_counts import TOLD
from reporting.core.warehouse.release import SET_ASIDE
from reporting.definition.description import description_of
from reporting.definition.fresh import Fresh
from tests.center_pages import pages
from tests.center_rows import a_release
from tests.specimens import a_report, a_source, a_table

pytestmark = pytest.mark.unit
FMT = Formats(texts_in("en"))
FACTS = {"rows": 1204, TOLD: 1207, SET_ASIDE: 3, NEWEST_AGE: 5400.0, "attempt": "a1"}


def known(**changes: Any) -> dict[str, Any]:
    """Return a definition with a strict source, and one that the run can go on without."""
    strict = a_source(
        columns={"id": "int64", "at": "timestamptz"},
        min_rows=1000,
        quarantine=10,
        fresh=Fresh("at", within=timedelta(hours=24)),
        **changes,
    )
    loose = replace(a_source(required=False, min_rows=0), name="refunds")
    return description_of(a_report(sources=[strict, loose], tables=[a_table()]))


def told(release: Any, definition: dict[str, Any] | None = None) -> list[str]:
    found = checks_of(known() if definition is None else definition, release)
    return [line.text for line in check_lines(FMT, found)]


def test_every_check_is_named_with_the_numbers_of_the_release() -> None:
    release = a_release(
        7,
        sources={"orders": FACTS, "refunds": {"rows": 0}},
        row_counts={"totals": 42},
    )
    table = a_table()
    assert told(release) == [
        "2 of 2 sources were there.",
        "All that was read is what was staged: size and SHA-256 of every object.",
        "orders: 1,204 rows staged, at least 1,000 due.",
        "orders: 1,207 rows counted by the source itself, 1,207 rows came.",
        "orders: 3 rows set aside, at most 10 allowed.",
        "orders: every row fits the 2 declared columns.",
        "orders: newest at 1 h 30 min before the end of the period, at most 1 d allowed.",
        "refunds: 0 rows staged, at least 0 due.",
        "refunds: 0 rows set aside, at most 0 allowed.",
        f"refunds: every row fits the {len(a_source().columns)} declared columns.",
        f"totals: key {', '.join(table.key)} unique in 42 rows.",
        "totals: 42 rows computed, 42 rows published.",
    ]


def test_a_check_whose_numbers_were_not_kept_is_named_without_them() -> None:
    release = a_release(7, sources={"orders": {"rows": 1204}}, row_counts={})
    lines = told(release)
    assert "orders: newest at at most 1 d before the end of the period." in lines
    assert not [line for line in lines if "counted by the source" in line]
    assert not [line for line in lines if "refunds" in line]
    marks = [line.badge.code for line in check_lines(FMT, checks_of(known(), release))]
    assert marks.count("unknown") == 1


def test_a_release_without_an_optional_source_says_so() -> None:
    release = a_release(7, sources={"orders": FACTS}, missing={"refunds": "its fetch failed"})
    assert told(release)[:2] == [
        "1 of 2 sources were there.",
        "refunds: left out; the run may go on without it.",
    ]


def test_without_its_definition_only_the_releases_own_facts_are_told() -> None:
    release = a_release(7, sources={"orders": FACTS}, row_counts={"totals": 42})
    assert told(release, {}) == [
        "1 of 1 sources were there.",
        "All that was read is what was staged: size and SHA-256 of every object.",
        "orders: 1,204 rows staged.",
        "orders: 1,207 rows counted by the source itself, 1,207 rows came.",
        "orders: 3 rows set aside.",
        "totals: key unique in 42 rows.",
        "totals: 42 rows computed, 42 rows published.",
    ]


def test_what_a_later_definition_would_refuse_is_marked_and_not_called_passed() -> None:
    facts = {"rows": 10, SET_ASIDE: 11, NEWEST_AGE: 90_000.0}
    found = checks_of(known(), a_release(7, sources={"orders": facts}))
    marked = [row.kind.value for row in found if row.holds is False]
    assert marked == ["rows", "set_aside", "fresh"]
    lines = check_lines(FMT, found)
    assert {line.badge.code for line in lines if line.badge.text != "Passed"} == {"changed"}
    assert sum(line.badge.code == "changed" for line in lines) == 3


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_check_has_words(language: str) -> None:
    fmt = Formats(texts_in(language))
    release = a_release(
        7, sources={"orders": FACTS}, row_counts={"totals": 1}, missing={"refunds": "why"}
    )
    found = (*checks_of(known(), release), *checks_of({}, release))
    assert {row.kind for row in found} == set(Kind)
    assert all(line.text for line in check_lines(fmt, found))
    assert check_lines(fmt, [CheckRow(Kind.ROWS, "a", {"rows": 1, "least": None})])


def test_the_page_of_a_run_and_that_of_its_report_name_the_checks() -> None:
    found = pages()
    for name in ("run", "report"):
        assert "flights: 836,421 rows staged, at least 1 due." in found[name], name
    assert "checks passed" not in found["failed"]
