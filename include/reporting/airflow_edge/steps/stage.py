"""What every fetch does around its reading: hold the claim, stage, check, commit."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from reporting.airflow_edge.connections import staging_bucket, warehouse
from reporting.airflow_edge.holding import hold
from reporting.airflow_edge.progress_told import progress_told
from reporting.airflow_edge.run_context import run_of
from reporting.airflow_edge.still_wanted import demand_wanted
from reporting.core.freshness import check_fresh
from reporting.core.origin import origin_of
from reporting.core.progress import Progress
from reporting.core.run import Run
from reporting.core.staging import Attempt, Staging
from reporting.core.stall import ended_when_stalled

if TYPE_CHECKING:
    from airflow.sdk import Context

    from reporting.definition.report import Report
    from reporting.definition.source import Source

log = logging.getLogger(__name__)

NAMED_ROWS = 20
Read = Callable[[Run, Attempt], dict[str, Any]]


def stage(source: Source, report: Report, context: Context, read: Read) -> dict[str, Any]:
    """Stage what `read` writes; it returns facts for the manifest.

    Returns:
        Counts only: rows, bytes, parts, rows set aside.

    Raises:
        ReportError: the source cannot be read as declared; nothing was committed.
    """
    run = run_of(report, context)
    with warehouse() as connection:
        hold(connection, report, run, context)
    staging = Staging(staging_bucket(), run.id)
    with staging.attempt(source.name, source.schema) as attempt:
        progress = attempt.on_progress = Progress(source.name)
        stalling = ended_when_stalled(source.name, progress, source.stalled_after)
        with progress_told(context, progress), stalling:
            facts = read(run, attempt)
        facts |= check_fresh(source, run.period, attempt.newest, datetime.now(UTC))
        demand_wanted(context, "nothing was committed")
        manifest = attempt.commit(facts, origin_of(source, report.folder, run))
    log.info("Staged %s rows, %s bytes of %s.", manifest.rows, manifest.size, source.name)
    for row in attempt.refused[:NAMED_ROWS]:
        log.warning("Set aside: row %s, column %r: %s", row.row, row.column, row.reason)
    return {
        "rows": manifest.rows,
        "bytes": manifest.size,
        "parts": len(manifest.parts),
        "quarantined": len(attempt.refused),
    }
