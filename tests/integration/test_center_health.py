"""What the report center reads of the health of an installation, on real tables."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import UTC, datetime

import psycopg
import pytest

from embedded_stack.stack import Stack
from report_center.records.health import Health, StalledRow
from report_center.records.overview import today
from report_center.records.reports import report, reports
from report_center.records.run_page import run_view
from report_center.records.wellbeing import health
from reporting.core.reconcile.difference import Difference
from reporting.core.reconcile.history import MOST_KEPT, note_pass
from tests.integration.many_known_runs import OURS, known_runs
from tests.integration.metadata import Metadata

LEFT = Difference("published rows", OURS, "run_4", "table totals", "3", "2", "decide", "clear it")
MENDED = Difference("orphaned files", "report_0002", "run_1", "a/b", "none", "1 file", "remove")
NOBODYS = Difference("orphaned message", None, None, "c", "a letter", "none", "remove")


@pytest.fixture(scope="module")
def known(stack: Stack) -> Iterator[Metadata]:
    with known_runs(stack) as found:
        yield found


def seen(known: Metadata, readable: Collection[str] | None = None) -> Health:
    with known.looking() as (session, elsewhere):
        return health(session, elsewhere, datetime.now(UTC), readable)


def stalled(known: Metadata) -> dict[str, StalledRow]:
    return {row.run_id: row for row in seen(known).stalled}


def test_a_step_without_a_sign_of_life_stands_still(known: Metadata) -> None:
    known.execute(
        "UPDATE task_instance SET last_heartbeat_at = now() - interval '1 hour' "
        "WHERE run_id = 'run_51' AND state = 'running'"
    )
    (row,) = seen(known).stalled
    assert (row.run_id, row.step, row.timezone) == ("run_51", "fetch_orders", "Europe/Berlin")


@pytest.mark.parametrize(
    ("run_id", "state", "column"),
    [
        ("run_101", "scheduled", "scheduled_dttm"),
        ("run_101", "queued", "queued_dttm"),
        ("run_101", "deferred", "trigger_timeout"),
    ],
)
def test_a_step_that_waits_too_long_stands_still_since_it_was_put_in_line(
    known: Metadata, run_id: str, state: str, column: str
) -> None:
    """Airflow keeps a task `scheduled` as long as its pool has no free slot."""
    known.execute(
        f"UPDATE task_instance SET state = '{state}', {column} = now() - interval '1 minute', "
        f"last_heartbeat_at = now() - interval '9 hours' "
        f"WHERE run_id = '{run_id}' AND task_id = 'fetch_orders'"
    )
    assert run_id not in stalled(known)
    known.execute(
        f"UPDATE task_instance SET {column} = now() - interval '1 hour' "
        f"WHERE run_id = '{run_id}' AND task_id = 'fetch_orders'"
    )
    row = stalled(known)[run_id]
    assert row.state == state
    assert 3590 < (datetime.now(UTC) - row.since).total_seconds() < 3700


def test_tasks_that_wait_for_a_slot_are_counted(known: Metadata) -> None:
    known.execute(
        "INSERT INTO slot_pool (pool, slots, include_deferred) VALUES ('narrow', 1, false)"
    )
    for run_id, state in (("run_4", "running"), ("run_8", "queued"), ("run_12", "scheduled")):
        known.execute(
            f"UPDATE task_instance SET pool = 'narrow', state = '{state}', queued_dttm = now(), "
            f"scheduled_dttm = now(), last_heartbeat_at = now() "
            f"WHERE run_id = '{run_id}' AND task_id = 'compute'"
        )
    (pool,) = [pool for pool in seen(known).pools if pool.name == "narrow"]
    assert (pool.total, pool.running, pool.queued, pool.free) == (1, 1, 2, 0)


def test_health_names_what_the_last_reconciliation_has_found(known: Metadata) -> None:
    with psycopg.connect(known.warehouse, autocommit=True) as warehouse:
        note_pass(warehouse, [LEFT], [], 0)
        note_pass(warehouse, (MENDED, LEFT, NOBODYS), (MENDED, NOBODYS), 0)
    found = seen(known).reconciliation
    assert found is not None
    told = [(one.kind, one.report, one.run_id, one.is_repaired) for one in found.found]
    assert told == [
        ("published rows", OURS, "run_4", False),
        ("orphaned files", "report_0002", "run_1", True),
        ("orphaned message", None, None, True),
    ]
    first = found.found[0]
    assert (first.what, first.expected, first.got) == ("table totals", "3", "2")
    assert first.advice == "clear it"


def test_f66_a_reader_sees_only_differences_of_their_own_reports(known: Metadata) -> None:
    with psycopg.connect(known.warehouse, autocommit=True) as warehouse:
        note_pass(warehouse, (MENDED, LEFT, NOBODYS), (MENDED, NOBODYS), 0)
    for readable, kinds in ((["report_0002"], ["orphaned files"]), ([], [])):
        found = seen(known, readable).reconciliation
        assert found is not None
        assert [one.kind for one in found.found] == kinds
        assert found.differences == 3


def test_no_more_differences_are_kept_than_a_person_reads(known: Metadata) -> None:
    many = [
        Difference("file", OURS, f"run_{n}", "x" * 10_000, "1", "2", "remove")
        for n in range(MOST_KEPT + 5)
    ]
    with psycopg.connect(known.warehouse, autocommit=True) as warehouse:
        note_pass(warehouse, (*many, LEFT), many, 0)
        (size,) = warehouse.execute(
            "SELECT max(length(found::text)) FROM reporting.reconciliation"
        ).fetchone() or (0,)
    found = seen(known).reconciliation
    assert found is not None
    assert len(found.found) == MOST_KEPT
    assert found.found[0].kind == LEFT.kind
    assert size < 200_000


def test_a_warehouse_of_an_earlier_version_has_kept_none(known: Metadata) -> None:
    with psycopg.connect(known.warehouse, autocommit=True) as warehouse:
        note_pass(warehouse, [LEFT], [], 0)
        warehouse.execute("ALTER TABLE reporting.reconciliation DROP COLUMN found")
    found = seen(known)
    assert found.reconciliation is not None
    assert (found.reconciliation.differences, found.reconciliation.found) == (1, ())
    assert "The report warehouse" not in str(found.unseen)


def test_a_report_whose_file_was_removed_is_still_there(known: Metadata) -> None:
    gone = "report_0002"
    known.execute(
        "UPDATE dag SET is_stale = true, next_dagrun_create_after = now() - interval '1 day' "
        "WHERE dag_id = %s",
        gone,
    )
    known.execute(
        "UPDATE task_instance SET state = 'running', last_heartbeat_at = now() - interval '1 hour' "
        "WHERE dag_id = %s AND run_id = 'run_101' AND task_id = 'fetch_orders'",
        gone,
    )
    with known.looking() as (session, elsewhere):
        assert gone in [row.name for row in reports(session)]
        found = report(session, gone)
        day = today(session, elsewhere, datetime.now(UTC))
        run = run_view(session, elsewhere, gone, "run_5")
    assert found is not None
    assert found.is_gone
    assert run is not None
    (row,) = [row for row in day.rows if row.report.name == gone]
    assert (row.is_late, row.next_at) == (False, None)
    told = seen(known)
    assert gone in {row.report for row in told.stalled}
    assert gone not in {row.report for row in told.overdue if row.run_id is None}
