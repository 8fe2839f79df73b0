"""Cancels a run: Airflow marks it failed, with the user's own rights."""

from __future__ import annotations

from typing import TYPE_CHECKING

from report_center.changes.alone import alone_with
from reporting.core.airflow_api import ConflictError, run_path

if TYPE_CHECKING:
    from report_center.as_user import AsUser
    from report_center.records.runs import RunRow


def demand_under_way(run: RunRow) -> None:
    """Refuse a run that has ended.

    Raises:
        ConflictError: it has.
    """
    if run.is_over:
        raise ConflictError(f"Run {run.run_id!r} has ended, {run.state}; nothing was cancelled.")


async def cancel(user: AsUser, report: str, run_id: str) -> None:
    """Mark a run failed; what it works on is stopped, and the janitor undoes what it left.

    Raises:
        ConflictError: it has ended, or somebody else cancels it.
    """
    async with alone_with(report, run_id) as run:
        demand_under_way(run)
        await user.patch(run_path(report, run_id), {"state": "failed"})
