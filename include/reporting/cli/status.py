"""`reports status`: everything about one run."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from reporting.cli import exit_codes
from reporting.cli.console import say
from reporting.cli.login import airflow_of
from reporting.cli.report_dags import known_run, report_of_run
from reporting.cli.run_text import run_json, run_lines
from reporting.cli.run_view import read_run
from reporting.cli.typed import as_typed
from reporting.cli.verdict import exit_code_of

if TYPE_CHECKING:
    from reporting.cli.run_view import RunView
    from reporting.core.airflow_api import AirflowApi

EXAMPLES = f"""examples:
  reports status 'manual__2026-01-31T06:00:00+00:00'
  reports status 'scheduled__2026-01-31T06:00:00+00:00' --report airline_on_time
  reports status 'manual__2026-01-31T06:00:00+00:00' --json

Scheduled runs of several reports can share a run id; --report says which one is meant.
The code of a duplicate is that of the run that does the work, or 0 if that was done before.

{exit_codes.OF_A_RUN}
"""


def add_command(commands: Any, login: argparse.ArgumentParser) -> None:
    """Describe the command."""
    command = commands.add_parser(
        "status",
        parents=[login],
        help="state, tasks and outcome of a run",
        description="Show a run: its state, its tasks, and what it published or why it failed.",
        epilog=as_typed(EXAMPLES),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("run_id", metavar="RUN", help="run id, as `trigger` and `list` print it")
    command.add_argument("--report", metavar="NAME", help="its report (default: searched for)")
    command.add_argument(
        "--exit-code", action="store_true", help="end with a code that says how the run went"
    )
    command.add_argument("--json", action="store_true", help="print one JSON object")
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the run."""
    api = airflow_of(options)
    report = options.report or report_of_run(api, options.run_id)
    known_run(api, report, options.run_id)
    view = read_run(api, report, options.run_id)
    say(run_json(view) if options.json else "\n".join(run_lines(view)))
    return code_of(api, view) if options.exit_code else exit_codes.OK


def code_of(api: AirflowApi, view: RunView) -> int:
    """Return how the run went, or the one that works instead, as an exit code."""
    if view.duplicate_of and not view.already:
        return code_of(api, read_run(api, view.report, view.duplicate_of))
    return exit_code_of(view) if view.is_over else exit_codes.UNDER_WAY
