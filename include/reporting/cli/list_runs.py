"""`reports runs`: the last runs of one report."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from reporting.cli import exit_codes
from reporting.cli.console import say
from reporting.cli.login import airflow_of
from reporting.cli.report_dags import known_dag
from reporting.cli.run_line import RunLine, read_runs
from reporting.cli.text_table import aligned
from reporting.cli.typed import as_typed
from reporting.errors import InputError

HEADERS = ("STATE", "PERIOD", "RUN ID", "STARTED", "TOOK")
USUAL, MOST = 10, 100
EXAMPLES = """examples:
  reports runs airline_on_time
  reports runs airline_on_time --limit 40

The one that was asked for last comes first, whatever period it is for. All of one run:
  reports status RUN_ID
"""


def add_command(commands: Any, login: argparse.ArgumentParser) -> None:
    """Describe the command."""
    command = commands.add_parser(
        "runs",
        parents=[login],
        help="the last runs of one report",
        description="List the last runs of one report.",
        epilog=as_typed(EXAMPLES),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("report", metavar="REPORT", help="name of the report")
    command.add_argument(
        "--limit", type=int, default=USUAL, metavar="N", help=f"how many (default: {USUAL})"
    )
    command.add_argument("--json", action="store_true", help="print one JSON object")
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print one line per run."""
    if not 1 <= options.limit <= MOST:
        raise InputError(f"--limit is {options.limit}; allowed: 1 to {MOST}.")
    api = airflow_of(options)
    known_dag(api, options.report)
    lines = read_runs(api, options.report, options.limit)
    if options.json:
        say(json.dumps({"runs": [asdict(line) for line in lines]}, indent=2, ensure_ascii=False))
    else:
        say("\n".join(runs_lines(lines)) if lines else f"Report {options.report!r} never ran.")
    return exit_codes.OK


def runs_lines(runs: Sequence[RunLine]) -> list[str]:
    """Return the table."""
    return aligned(HEADERS, [run.cells for run in runs])
