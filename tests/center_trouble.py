"""Samples of what needs somebody: dead letters, and the health of an installation."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

from report_center.records.health import (
    Backlog,
    DifferenceRow,
    Health,
    OverdueRow,
    PoolRow,
    QueueDepth,
    ReconciliationRow,
    StalledRow,
)
from reporting.core.warehouse.dead_letters import DeadLetter
from tests.center_definition import ZONE
from tests.center_samples import NOW, RUN_ID

AGAIN = "reports clear airline_on_time scheduled__2026 --task store"
DIFFERENCES = (
    DifferenceRow(
        "published rows", "airline_on_time", RUN_ID, "table a", "3 rows", "2", False, AGAIN
    ),
    DifferenceRow("orphaned message", None, None, "dead/1", "a letter", "none", True, ""),
)


def letter(**changes: Any) -> DeadLetter:
    """Return a dead letter that waits."""
    made = DeadLetter(
        dead_letter_id=7,
        digest="c" * 64,
        queue="reports.replies.17",
        bytes=1_402,
        reason="Part 3 came twice with different content.",
        source="planes",
        report="airline_on_time",
        run_id=RUN_ID,
        tries=2,
        state="waiting",
        first_at=NOW - timedelta(hours=2),
        last_at=NOW - timedelta(hours=1),
        settled_at=None,
        settled_by=None,
    )
    return replace(made, **changes)


def health(**changes: Any) -> Health:
    """Return an installation with a bit of everything."""
    made = Health(
        backlog=Backlog(3, NOW - timedelta(hours=5)),
        running=2,
        queued=1,
        overdue=(OverdueRow("airline_on_time", "Airline on-time performance", RUN_ID, NOW, ZONE),),
        stalled=(StalledRow("airline_on_time", RUN_ID, "fetch_planes", "running", NOW, ZONE),),
        swept_at=NOW,
        reconciliation=ReconciliationRow(NOW, 3, 2, 0, DIFFERENCES),
        queues=(QueueDepth("reports.dead", 3), QueueDepth("planes.lookup", None)),
        pools=(PoolRow("default_pool", 128, 3, 1, 124), PoolRow("weather", None, 0, 0, None)),
        unseen=(),
        parallelism=8,
    )
    return replace(made, **changes)
