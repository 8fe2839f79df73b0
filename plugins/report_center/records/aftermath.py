"""What the warehouse knows of one run: its release, the receipts of that, and what was undone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from report_center.records.releases import ReleaseRow, release_of_run
from report_center.records.run import DeliveryRow, UndoRow
from reporting.airflow_edge.alarm import about

if TYPE_CHECKING:
    import psycopg

    from reporting.core.run import RunId

RECEIPTS = """
SELECT channel, recipient, subject <> %(files)s, is_sent, tries, error, tried_at
FROM reporting.receipt WHERE subject IN (%(files)s, %(files)s || ' incomplete', %(failure)s)
ORDER BY channel, recipient, subject
"""
UNDONE = """
SELECT step, outcome, is_done, undone_at FROM reporting.compensation
WHERE report = %(report)s AND run_id = %(run_id)s AND step <> 'compensate'
    AND (clear_number, started) = (
        SELECT clear_number, started FROM reporting.compensation
        WHERE report = %(report)s AND run_id = %(run_id)s ORDER BY undone_at DESC LIMIT 1)
ORDER BY undone_at, step
"""


@dataclass(frozen=True)
class InWarehouse:
    """What is known of one run.

    Attributes:
        release: what it has published last.
        deliveries: receipts of that, and of the alarm of a failed run.
        undone: what was undone after it failed last.
    """

    release: ReleaseRow | None = None
    deliveries: tuple[DeliveryRow, ...] = ()
    undone: tuple[UndoRow, ...] = ()


def in_warehouse(warehouse: psycopg.Connection[Any], run: RunId) -> InWarehouse:
    """Ask for all of it: three queries."""
    release = release_of_run(warehouse, run.report, run.run_id)
    undone = warehouse.execute(UNDONE, {"report": run.report, "run_id": run.run_id})
    files = "" if release is None else f"release {release.release_id}"
    receipts = warehouse.execute(RECEIPTS, {"files": files, "failure": about(run)})
    return InWarehouse(
        release,
        tuple(DeliveryRow(*row) for row in receipts),
        tuple(UndoRow(*row) for row in undone),
    )
