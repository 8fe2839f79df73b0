"""Rows of the report center, complete and valid: tests change what they are about."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from report_center.records.releases import ReleaseRow
from report_center.records.reports import ReportRow
from report_center.records.run import StepRow
from report_center.records.runs import RunRow

NOON = datetime(2024, 5, 2, 12, tzinfo=UTC)


def a_run(state: str = "SUCCESS", **changes: Any) -> RunRow:
    """Return a run of the report `sales`."""
    run = RunRow(
        number=1,
        report="sales",
        title="Sales",
        run_id="run",
        state=state,
        is_over=True,
        is_duplicate=False,
        period="2024-05-01",
        params={},
        triggered_by=None,
        how="timetable",
        run_after=NOON,
        queued_at=NOON,
        started_at=NOON,
        ended_at=None,
        seconds=None,
        clear_number=0,
        steps={},
        version=None,
    )
    return replace(run, **changes)


def a_step(name: str, state: str | None, **changes: Any) -> StepRow:
    """Return a task that was tried once."""
    step = StepRow(
        name=name,
        state=state,
        tries=1,
        max_tries=4,
        queued_at=None,
        started_at=None,
        ended_at=None,
        seconds=None,
        failure=None,
        result=None,
    )
    return replace(step, **changes)


def a_release(release_id: int, **changes: Any) -> ReleaseRow:
    """Return a release of the report `sales`."""
    release = ReleaseRow(
        release_id=release_id,
        report="sales",
        period="2024-05-01",
        request_key="2024-05-01-k",
        version=release_id,
        params={},
        is_default=True,
        is_current=False,
        run_id="run",
        published_at=NOON,
        row_counts={},
        sources={},
        missing={},
        set_aside={},
        files=(),
    )
    return replace(release, **changes)


def a_report_row(**changes: Any) -> ReportRow:
    """Return the report `sales`."""
    row = ReportRow(
        name="sales",
        title="Sales",
        description="",
        tags=(),
        schedule_words="daily at 06:00 Europe/Berlin",
        next_run_at=None,
        is_paused=False,
        is_broken=False,
        is_gone=False,
        timezone="Europe/Berlin",
        sources=("orders",),
        optional=(),
        definition={},
    )
    return replace(row, **changes)
