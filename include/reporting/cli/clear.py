"""`reports clear`: runs tasks of a run again, with all that comes after them."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from reporting.cli import exit_codes
from reporting.cli.console import say, say_aside
from reporting.cli.login import airflow_of
from reporting.cli.needed_tasks import lacking
from reporting.cli.report_dags import known_run, report_dag
from reporting.cli.run_view import place
from reporting.cli.trigger import end
from reporting.cli.typed import as_typed, command
from reporting.cli.waking import ensure_awake
from reporting.core.airflow_names import OPTIONAL
from reporting.core.rerun_text import clear_command
from reporting.core.states import INIT
from reporting.errors import InputError, choices

if TYPE_CHECKING:
    from reporting.core.airflow_api import AirflowApi
    from reporting.core.states import TaskStates

EXAMPLES = f"""examples:
  reports clear airline_on_time 'manual__2026-01-31T06:00:00+00:00' fetch_flights --wait
  reports clear airline_on_time 'manual__2026-01-31T06:00:00+00:00' compute --dry-run
  reports clear airline_on_time 'manual__2026-01-31T06:00:00+00:00' deliver --only

To clear a task means: Airflow forgets that it ran and runs it again, in the same run.

{exit_codes.IN_WORDS}
"""


def add_command(commands: Any, login: argparse.ArgumentParser) -> None:
    """Describe the command."""
    described = commands.add_parser(
        "clear",
        parents=[login],
        help="run tasks of a run again",
        description="Run tasks of a run again, with all tasks that come after them.",
        epilog=as_typed(EXAMPLES),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    described.add_argument("report", metavar="REPORT", help="name of the report")
    described.add_argument("run_id", metavar="RUN", help="run id, as `trigger` and `list` print it")
    described.add_argument(
        "tasks", metavar="TASK", nargs="+", help="task to clear, as `status` and alerts name it"
    )
    described.add_argument("--only", action="store_true", help="without the tasks that come after")
    described.add_argument("--dry-run", action="store_true", help="only say what would be cleared")
    described.add_argument("--wait", action="store_true", help="follow the run to its end")
    described.add_argument(
        "--unpause", action="store_true", help="unpause the report if it is paused"
    )
    described.add_argument(
        "--json", action="store_true", help="print one JSON object, progress aside"
    )
    described.set_defaults(run=run)


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
        InputError: a task is unknown, one that would be cleared runs now, or what it needs is
            lost and not cleared with it.
    """
    states = api.task_states(options.report, options.run_id)
    _check_tasks(options.tasks, tuple(states))
    found = _clear(api, options, dry_run=True)
    running = sorted(task["task_id"] for task in found if task["state"] == "running")
    if running:
        raise InputError(
            f"{', '.join(running)} runs now and would be cut off; wait until it has ended."
        )
    names = sorted((str(task["task_id"]) for task in found), key=place)
    _demand_needed(api, options, states, names)
    return names


def _check_tasks(asked: Sequence[str], known: tuple[str, ...]) -> None:
    faults = [f"Task {task!r} is unknown; {choices(known, task)}" for task in asked]
    faults = [fault for task, fault in zip(asked, faults, strict=True) if task not in known]
    if faults:
        raise InputError(" ".join(faults))


def _demand_needed(
    api: AirflowApi, options: argparse.Namespace, states: TaskStates, cleared: Sequence[str]
) -> None:
    """Refuse to run what would fail at once, and alert once more.

    Raises:
        InputError: names what is lost, and the command that runs it again.
    """
    if not lacking(states, cleared, ()):
        return
    begun = api.xcom(options.report, options.run_id, INIT) or {}
    lost = lacking(states, cleared, begun.get(OPTIONAL, ()))
    if lost:
        told = ", ".join(f"{task} ({states[task]})" for task in lost)
        instead = clear_command(command(), options.report, options.run_id, lost)
        raise InputError(
            f"{options.tasks[0]} needs {told}, and would fail at once. Clear from there on, all "
            f"that comes after runs again, too: {instead}"
        )


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
