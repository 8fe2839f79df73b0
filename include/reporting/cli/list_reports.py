"""`reports list`: every report and how its last run went, and every file that is broken."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from reporting.cli import exit_codes
from reporting.cli.broken_files import BrokenFile, broken_files
from reporting.cli.console import say, say_aside
from reporting.cli.login import airflow_of
from reporting.cli.report_dags import report_dags
from reporting.cli.report_line import ReportLine, read_line
from reporting.cli.text_table import aligned
from reporting.cli.typed import as_typed
from reporting.errors import TerminalError

if TYPE_CHECKING:
    from reporting.core.airflow_api import AirflowApi

HEADERS = ("REPORT", "TITLE", "SCHEDULE", "NEXT RUN", "LAST RUN", "PERIOD", "RUN ID")
EXAMPLES = """examples:
  reports list
  reports list --json

Below the reports it names every DAG file that Airflow cannot read, with the error.
"""


def add_command(commands: Any, login: argparse.ArgumentParser) -> None:
    """Describe the command."""
    command = commands.add_parser(
        "list",
        parents=[login],
        help="every report, its schedule and its last run",
        description="List every report, its schedule and its last run.",
        epilog=as_typed(EXAMPLES),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("--json", action="store_true", help="print one JSON object")
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print one line per report, then the broken files."""
    api = airflow_of(options)
    lines = [read_line(api, str(dag["dag_id"])) for dag in report_dags(api)]
    broken = _broken(api)
    if options.json:
        say(list_json(lines, broken))
        return exit_codes.OK
    if not lines:
        say(f"Airflow at {api.base_url} knows no report; it reads new files within a minute.")
    else:
        say("\n".join(list_lines(lines)))
    if broken:
        say("\n".join(["", *broken_lines(broken)]))
    return exit_codes.OK


def list_lines(reports: Sequence[ReportLine]) -> list[str]:
    """Return the table."""
    return aligned(HEADERS, [report.cells for report in reports])


def broken_lines(broken: Sequence[BrokenFile]) -> list[str]:
    """Return the files that are broken."""
    return [
        "Airflow cannot read these files; what they define is missing above or out of date:",
        *(f"  {file.file}: {file.message}" for file in broken),
    ]


def list_json(reports: Sequence[ReportLine], broken: Sequence[BrokenFile]) -> str:
    """Return the list for a program."""
    data = {
        "reports": [asdict(report) for report in reports],
        "broken_files": [{"file": file.file, "message": file.message} for file in broken],
    }
    return json.dumps(data, indent=2, ensure_ascii=False, default=str)


def _broken(api: AirflowApi) -> list[BrokenFile]:
    """Return the broken files; who may not see them still gets the list of reports."""
    try:
        return broken_files(api)
    except TerminalError as error:
        say_aside(f"Broken files are not shown: {error}")
        return []
