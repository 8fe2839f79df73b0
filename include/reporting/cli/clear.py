"""`reports clear`: runs tasks of a run again, with all that comes after them."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from reporting.cli import exit_codes
from reporting.cli.console import say, say_aside
from reporting.cli.login import airflow_of
from reporting.cli.report_dags import known_run, report_dag
from reporting.cli.run_view import place
from reporting.cli.trigger import end
from reporting.cli.typed import as_typed
from reporting.cli.waking import ensure_awake
from reporting.errors import InputError, choices

if TYPE_CHECKING:
    from reporting.core.airflow_api import AirflowApi

EXAMPLES = f"""examples:
  reports clear airline_on_time 'manual__2026-01-31T06:00:00+00:00' fetch_flights --wait
  reports clear airline_on_time 'manual__2026-01-31T06:00:00+00:00' compute --dry-run
  reports clear airline_on_time 'manual__2026-01-31T06:00:00+00:00' deliver --only

To clear a task means: Airflow forgets that it ran and runs it again, in the same run.

{exit_codes.IN_WORDS}
"""


def add_command(commands: Any, login: argparse.ArgumentParser) -> None:
    """Describe the command."""
    command = commands.add_parser(
        "clear",
        parents=[login],
        help="run tasks of a run again",
        description="Run tasks of a run again, with all tasks that come after them.",
        epilog=as_typed(EXAMPLES),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("report", metavar="REPORT", help="name of the report")
    command.add_argument("run_id", metavar="RUN", help="run id, as `trigger` and `list` print it")
    command.add_argument(
        "tasks", metavar="TASK", nargs="+", help="task to clear, as `status` and alerts name it"
    )
    command.add_argument("--only", action="store_true", help="without the tasks that come after")
    command.add_argument("--dry-run", action="store_true", help="only say what would be cleared")
    command.add_argument("--wait", action="store_true", help="follow the run to its end")
    command.add_argument(
        "--unpause", action="store_true", help="unpause the report if it is paused"
    )
    command.add_argument(
        "--json", action="store_true", help="print one JSON object, progress aside"
    )
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Say what is cleared, clear it, and follow the run when asked to."""
    api = airflow_of(options)
    progress = say_aside if options.json or options.dry_run else say
    dag = report_dag(api, options.report)
    known_run(api, options.report, options.run_id)
    found = to_clear(api, options)
    if options.dry_run:
        say(f"Would clear {', '.join(found)}")
        return exit_codes.OK
    ensure_awake(api, dag, progress, may_unpause=options.unpause)
    progress(f"Clearing {', '.join(found)}")
    _clear(api, options, dry_run=False)
    return end(api, options, options.run_id, progress)


def to_clear(api: AirflowApi, options: argparse.Namespace) -> list[str]:
    """Return the tasks that would be cleared, in the order of the work.

    Raises:
        InputError: a task is unknown, or one that would be cleared runs now.
    """
    _check_tasks(options.tasks, tuple(api.task_states(options.report, options.run_id)))
    found = _clear(api, options, dry_run=True)
    running = sorted(task["task_id"] for task in found if task["state"] == "running")
    if running:
        raise InputError(
            f"{', '.join(running)} runs now and would be cut off; wait until it has ended."
        )
    return sorted((str(task["task_id"]) for task in found), key=place)


def _check_tasks(asked: Sequence[str], known: tuple[str, ...]) -> None:
    faults = [f"Task {task!r} is unknown; {choices(known, task)}" for task in asked]
    faults = [fault for task, fault in zip(asked, faults, strict=True) if task not in known]
    if faults:
        raise InputError(" ".join(faults))


def _clear(api: AirflowApi, options: argparse.Namespace, *, dry_run: bool) -> list[dict[str, Any]]:
    body = {
        "dry_run": dry_run,
        "dag_run_id": options.run_id,
        "task_ids": options.tasks,
        # Also what went well: compensate is to run again after a second failure.
        "only_failed": False,
        "include_downstream": not options.only,
        "prevent_running_task": True,
    }
    answer = api.post(f"dags/{quote(options.report, safe='')}/clearTaskInstances", body)
    return list(answer["task_instances"])
