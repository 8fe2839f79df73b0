"""Every version of a report can be reached, and says what it changed, however old it is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from embedded_stack.stack import Stack
from report_center.records.versions import SHOWN, VersionRow, versions
from tests.integration.many_known_runs import OURS, known_runs

AGAIN = """
INSERT INTO reporting.release (report, period, request_key, version, params, is_default, run_id,
    clear_number, started, fingerprint, row_counts, sources, missing, files)
SELECT report, period, request_key, %s, params, is_default, run_id, %s, '', 'f', %s, sources,
    missing, files FROM reporting.release WHERE release_id = %s
RETURNING release_id
"""
POINT = "UPDATE reporting.current_release SET release_id = %s WHERE release_id = %s"


@pytest.fixture
def warehouse(stack: Stack) -> Iterator[psycopg.Connection[Any]]:
    with (
        known_runs(stack) as known,
        psycopg.connect(known.warehouse, autocommit=True) as connection,
    ):
        yield connection


def paged(warehouse: psycopg.Connection[Any]) -> Iterator[list[VersionRow]]:
    before = None
    while True:
        page = versions(warehouse, OURS, before=before)
        yield list(page.rows)
        before = page.next_before
        if before is None:
            return


def test_every_version_is_reached_and_compared(warehouse: psycopg.Connection[Any]) -> None:
    (oldest, *_), *_ = warehouse.execute(
        "SELECT release_id, period FROM reporting.release WHERE report = %s ORDER BY 1", (OURS,)
    ).fetchall()
    made = []
    for version, rows in ((2, 1200), (3, 1150)):
        counts = f'{{"totals": {rows}}}'
        made += warehouse.execute(AGAIN, (version, version, counts, oldest)).fetchall()
    warehouse.execute(POINT, (made[0][0], oldest))

    pages = list(paged(warehouse))
    (count,) = warehouse.execute(
        "SELECT count(*) FROM reporting.release WHERE report = %s", (OURS,)
    ).fetchone() or (0,)
    numbers = [row.release.release_id for page in pages for row in page]
    assert len(numbers) == len(set(numbers)) == count > SHOWN
    assert numbers == sorted(numbers, reverse=True)
    assert [len(page) for page in pages[:-1]] == [SHOWN] * (len(pages) - 1)

    # The first version is on the last page.
    third, second = pages[0][:2]
    assert (third.differences, second.differences) == ({"totals": -50}, {"totals": 200})
    first = pages[-1][-1]
    assert (first.release.version, first.differences) == (1, {})
    assert {third.seen, second.seen, first.seen} == {2}
    assert second.release.is_current

    of_period = versions(warehouse, OURS, first.release.period)
    same = [row for row in of_period.rows if row.release.request_key == first.release.request_key]
    assert [row.release.version for row in same] == [3, 2, 1]
    assert versions(warehouse, OURS, "1999-01-01").rows == ()
