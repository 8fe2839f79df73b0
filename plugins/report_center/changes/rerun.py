"""Runs a run again, in part or as a whole: Airflow clears it with the user's own rights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import quote

from report_center.changes.alone import alone_with
from reporting.core.airflow_api import ConflictError, run_path

if TYPE_CHECKING:
    from report_center.as_user import AsUser
    from report_center.records.reports import ReportRow
    from report_center.records.run import RunView
    from report_center.records.runs import RunRow

Part = Literal["failed", "all"]


@dataclass(frozen=True)
class Rerun:
    """What is to be run again.

    Attributes:
        report: name of the report.
        run_id: the run.
        first: tasks to clear with all that comes after them; empty for the whole run.
        order: all tasks of the run, in the order of the work.
        seen: how often the run was cleared when that was decided.
    """

    report: str
    run_id: str
    first: tuple[str, ...]
    order: tuple[str, ...]
    seen: int


def rerun_of(report: ReportRow, view: RunView, part: Part, seen: int | None = None) -> Rerun:
    """Return what is to be run again of a run.

    Args:
        report: whose run it is.
        view: the run.
        part: what failed with all that comes after it, or the whole run.
        seen: how often the run was cleared when somebody looked; None for as often as now.

    Raises:
        ConflictError: it cannot be run again now; says why.
    """
    run, failure = view.run, view.failure
    seen = run.clear_number if seen is None else seen
    demand_over(run, seen)
    if report.is_gone:
        raise ConflictError(
            f"The file of report {report.name!r} was removed, so the run would only wait; put it "
            "back first."
        )
    if report.is_paused:
        raise ConflictError(
            f"Report {report.name!r} is paused, so the run would only wait; unpause it in Airflow."
        )
    order = tuple(step.name for step in view.steps)
    if part == "all":
        return Rerun(run.report, run.run_id, (), order, seen)
    if failure is None or not failure.to_clear:
        raise ConflictError(
            f"Run {run.run_id!r} has no failed part that can be run again; run all of it again, or "
            "trigger the report anew."
        )
    return Rerun(run.report, run.run_id, failure.to_clear, order, seen)


def demand_over(run: RunRow, seen: int) -> None:
    """Refuse a run that works, or that somebody has run again since it was seen.

    Raises:
        ConflictError: it is so.
    """
    if not run.is_over:
        raise ConflictError(f"Run {run.run_id!r} is under way, {run.state}; wait for its end.")
    if run.clear_number != seen:
        raise ConflictError(f"Run {run.run_id!r} was run again meanwhile; look at it again.")


async def would_clear(user: AsUser, rerun: Rerun) -> tuple[str, ...]:
    """Return the tasks that Airflow would clear, in the order of the work."""
    return await _clear(user, rerun, dry_run=True)


async def clear(user: AsUser, rerun: Rerun) -> tuple[str, ...]:
    """Clear the run and return the tasks; of two who do it at once, only one does.

    Raises:
        ConflictError: somebody else has done it.
    """
    async with alone_with(rerun.report, rerun.run_id) as run:
        demand_over(run, rerun.seen)
        tasks = await _clear(user, rerun, dry_run=True)
        await _clear(user, rerun, dry_run=False)
    return tasks


async def _clear(user: AsUser, rerun: Rerun, *, dry_run: bool) -> tuple[str, ...]:
    # Also what went well: compensate is to run again after a second failure.
    body: dict[str, Any] = {"dry_run": dry_run, "only_failed": False}
    if not rerun.first:
        answer = await user.post(f"{run_path(rerun.report, rerun.run_id)}/clear", body)
    else:
        body |= {
            "dag_run_id": rerun.run_id,
            "task_ids": list(rerun.first),
            "include_downstream": True,
            "prevent_running_task": True,
        }
        path = f"dags/{quote(rerun.report, safe='')}/clearTaskInstances"
        answer = await user.post(path, body)
    found = {str(task["task_id"]) for task in answer.get("task_instances", ())}
    return tuple(task for task in rerun.order if task in found)
