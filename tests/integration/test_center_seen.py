"""What lists say of a report is what its readers see, and what its runs went on without."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest

from embedded_stack.stack import Stack
from report_center.records.history import last_days, last_took
from report_center.records.overview import today
from report_center.records.run_list import one_run, runs
from report_center.records.run_page import run_view
from report_center.records.runs import RunsWanted
from report_center.records.today import TodayRow
from tests.integration.many_known_runs import OURS, known_runs
from tests.integration.metadata import Metadata

PUBLISH = """
INSERT INTO reporting.release (report, period, request_key, version, params, is_default, run_id,
    clear_number, started, fingerprint, row_counts, sources, missing, files)
VALUES (%s, %s, %s, %s, '{}', %s, 'of a test', %s, '', 'f', '{}', '{}', '{}', '[]')
RETURNING release_id
"""
CURRENT = """
INSERT INTO reporting.current_release VALUES (%s, %s, %s)
ON CONFLICT (report, request_key) DO UPDATE SET release_id = EXCLUDED.release_id
"""
OLD, LAST = "2099-01-01", "2099-01-02"


@pytest.fixture(scope="module")
def known(stack: Stack) -> Iterator[Metadata]:
    with known_runs(stack) as found:
        yield found


@pytest.fixture
def warehouse(known: Metadata) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(known.warehouse) as connection:
        connection.execute("DELETE FROM reporting.current_release WHERE report = 'report_0002'")
        connection.execute("DELETE FROM reporting.release WHERE report = 'report_0002'")
        connection.commit()
        connection.autocommit = True
        yield connection


def published(
    warehouse: psycopg.Connection[Any], period: str, version: int, variant: str = ""
) -> int:
    key = period + variant
    values = ("report_0002", period, key, version, not variant, version)
    (number,) = warehouse.execute(PUBLISH, values).fetchone() or (0,)
    warehouse.execute(CURRENT, ("report_0002", key, number))
    return int(number)


def shown(known: Metadata) -> TodayRow:
    with known.looking() as (session, elsewhere):
        (row,) = today(session, elsewhere, datetime.now(UTC), ["report_0002"]).rows
    return row


def test_what_is_published_is_what_readers_see_of_the_newest_period(
    known: Metadata, warehouse: psycopg.Connection[Any]
) -> None:
    assert (shown(known).version, shown(known).unshown) == (None, None)
    published(warehouse, LAST, 4)
    published(warehouse, LAST, 9, " of a variant")
    published(warehouse, OLD, 7)  # a backfill comes later, and is of an earlier period
    row = shown(known)
    assert (row.version, row.period, row.unshown) == (4, LAST, None)


def test_a_roll_back_is_told_and_the_older_version_is_shown(
    known: Metadata, warehouse: psycopg.Connection[Any]
) -> None:
    first = published(warehouse, LAST, 1)
    published(warehouse, LAST, 2)
    warehouse.execute(CURRENT, ("report_0002", LAST, first))
    row = shown(known)
    assert (row.version, row.period) == (1, LAST)
    assert row.unshown is not None
    assert (row.unshown.why, row.unshown.version, row.unshown.period) == ("rolled_back", 2, LAST)


@pytest.mark.parametrize("is_left", [True, False])
def test_a_withdrawal_is_told_and_the_period_before_is_shown(
    known: Metadata, warehouse: psycopg.Connection[Any], is_left: bool
) -> None:
    if is_left:
        published(warehouse, OLD, 3)
    published(warehouse, LAST, 1)
    warehouse.execute("DELETE FROM reporting.current_release WHERE request_key = %s", (LAST,))
    row = shown(known)
    assert (row.version, row.period) == ((3, OLD) if is_left else (None, None))
    assert row.unshown is not None
    assert (row.unshown.why, row.unshown.version, row.unshown.period) == ("withdrawn", 1, LAST)


def test_a_run_says_wherever_it_is_listed_what_it_went_on_without(known: Metadata) -> None:
    facts = '{"orders": {"rows": 8, "quarantined": 2}, "fees": {"rows": 3, "quarantined": 1}}'
    with psycopg.connect(known.warehouse, autocommit=True) as warehouse:
        warehouse.execute(
            """UPDATE reporting.release SET missing = '{"weather": "away"}', sources = %s
            WHERE run_id = 'run_4'""",
            (facts,),
        )
    with known.looking() as (session, elsewhere):
        listed = runs(session, elsewhere, RunsWanted(report=OURS, limit=200)).runs
        one = one_run(session, elsewhere, OURS, "run_4")
        view = run_view(session, elsewhere, OURS, "run_4")
    assert one is not None
    assert view is not None
    found = next(run for run in listed if run.run_id == "run_4")
    for run in (found, one, view.run):
        assert (run.missing, run.set_aside) == (("weather",), 3)
    others = [run for run in listed if run.run_id != "run_4"]
    assert {(run.missing, run.set_aside) for run in others} == {((), 0)}


def test_the_usual_and_the_longest_duration_are_those_of_single_runs(known: Metadata) -> None:
    now = datetime.now(UTC)
    begun = now.replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=2)
    known.execute("UPDATE dag_run SET run_after = '2020-01-01' WHERE dag_id = 'report_0003'")
    with known.engine.begin() as connection:
        numbers = connection.exec_driver_sql(
            "SELECT id FROM dag_run WHERE dag_id = 'report_0003' ORDER BY id LIMIT 4"
        ).all()
    for (number,), took in zip(numbers, (10.0, 15.5, 94.6, 12.0), strict=True):
        known.execute(
            "UPDATE dag_run SET state = 'success', run_after = %s, start_date = %s, end_date = %s "
            "WHERE id = %s",
            *(begun, begun, begun + timedelta(seconds=took), number),
        )
    with known.looking() as (session, _):
        days = last_days(session, ["report_0003"], now)["report_0003"]
        single = last_took(session, ["report_0003"], now)["report_0003"]
    assert single.usual == pytest.approx(13.75)
    assert single.longest == pytest.approx(94.6)
    assert [day.succeeded for day in days] == [4]
