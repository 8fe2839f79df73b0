"""What the warehouse knows of one run: its release, the receipts of that, and what was undone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from report_center.records.published import life_of, published_by
from report_center.records.releases import ReleaseRow, release
from report_center.records.run import DeliveryRow, UndoRow
from reporting.airflow_edge.alarm import about
from reporting.core.warehouse.run_retries import find_plan

if TYPE_CHECKING:
    import psycopg

    from report_center.records.runs import RunRow
    from reporting.core.run_retry import Plan

RECEIPTS = """
SELECT channel, recipient, subject <> %(files)s, is_sent, tries, error, tried_at
FROM reporting.receipt WHERE subject IN (%(files)s, %(files)s || ' incomplete', %(failure)s)
ORDER BY channel, recipient, subject
"""
UNDONE = """
SELECT step, outcome, is_done, undone_at FROM reporting.compensation
WHERE report = %(report)s AND run_id = %(run_id)s AND step <> 'compensate'
    AND clear_number = %(clear_number)s AND started = %(started)s
ORDER BY undone_at, step
"""


@dataclass(frozen=True)
class InWarehouse:
    """What is known of one run in its present life.

    Attributes:
        release: what it has published; `records.published` says what counts.
        deliveries: receipts of that, and of the alarm of a failed run.
        undone: what was undone after it failed.
        plan: what was decided about running it again.
    """

    release: ReleaseRow | None = None
    deliveries: tuple[DeliveryRow, ...] = ()
    undone: tuple[UndoRow, ...] = ()
    plan: Plan | None = None


def in_warehouse(warehouse: psycopg.Connection[Any], run: RunRow) -> InWarehouse:
    """Ask for all of it: five queries at most."""
    life = life_of(run)
    published = published_by(warehouse, [run]).get((run.report, run.run_id))
    files = "" if published is None else f"release {published.release_id}"
    undone = warehouse.execute(UNDONE, vars(life))
    receipts = warehouse.execute(RECEIPTS, {"files": files, "failure": about(life)})
    return InWarehouse(
        None if published is None else release(warehouse, published.release_id),
        tuple(DeliveryRow(*row) for row in receipts),
        tuple(UndoRow(*row) for row in undone),
        find_plan(warehouse, life) if run.state == "FAILED" else None,
    )
