"""Every row of the page of faults names a test that is there, and says something of its own."""

from __future__ import annotations

from collections import Counter

import pytest
from docs.generator.fault_row import Fault
from docs.generator.faults import OUTCOMES, ROWS, names_of_tests

import reporting

pytestmark = pytest.mark.unit

ASKED_OVER_A_NETWORK = {"HttpSource", "HttpJobSource", "MessageSource", "S3Source"}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.source}: {row.fault}"[:60])
def test_the_test_of_a_row_is_there(row: Fault) -> None:
    assert row.test in names_of_tests(row.file), f"{row.file} has no {row.test}"


def test_no_fault_of_a_source_is_there_twice() -> None:
    counts = Counter((row.source, row.fault) for row in ROWS)
    assert [fault for fault, count in counts.items() if count > 1] == []


def test_every_outcome_is_explained() -> None:
    assert {row.outcome for row in ROWS} == set(OUTCOMES)


def test_every_source_has_its_faults() -> None:
    named = {row.source.partition(",")[0] for row in ROWS}
    assert named == ASKED_OVER_A_NETWORK
    assert all(hasattr(reporting, name) for name in named)
