"""What an alert says of differences, and what makes it unique."""

from __future__ import annotations

from dataclasses import replace

import pytest

from reporting.core.reconcile.difference import Difference
from reporting.core.reconcile.text import MOST, receipt_of, subject_of, text_of

pytestmark = pytest.mark.unit

FILE = Difference(
    kind="file",
    report="sales",
    run_id="manual__1",
    what="reports/sales/2024-05-01/x.csv",
    expected="120 bytes",
    found="none",
    rule="decide",
    advice="reports clear sales manual__1 store",
)


def test_the_alert_names_what_differs_and_the_command_that_mends_it() -> None:
    assert subject_of("sales", [FILE]) == "Reconciliation: 1 difference in report sales"
    text = text_of("sales", [FILE])
    for words in (FILE.what, FILE.expected, FILE.found, FILE.advice):
        assert words in text
    assert text.endswith("reports reconcile --report sales")


def test_what_belongs_to_no_report_is_told_as_that() -> None:
    unknown = replace(FILE, report=None)

    assert subject_of(None, [unknown] * 2) == "Reconciliation: 2 differences in no known report"
    assert text_of(None, [unknown]).endswith("reports reconcile")


def test_of_very_many_the_first_are_told_and_the_others_counted() -> None:
    many = [replace(FILE, what=f"file {number}") for number in range(MOST + 5)]

    text = text_of("sales", many)

    assert f"file {MOST - 1}\n" in text
    assert f"file {MOST}\n" not in text
    assert "… and 5 more." in text


def test_each_difference_has_a_receipt_of_its_own() -> None:
    others = [replace(FILE, what="y"), replace(FILE, found="3 bytes"), replace(FILE, report=None)]

    assert len({receipt_of(one) for one in (FILE, *others)}) == 4
    assert receipt_of(FILE) == receipt_of(replace(FILE))


def test_a_run_is_asked_only_of_what_has_one() -> None:
    assert FILE.run.run_id == "manual__1"
    with pytest.raises(ValueError, match="no known run"):
        _ = replace(FILE, run_id=None).run
