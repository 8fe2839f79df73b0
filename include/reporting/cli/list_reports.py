"""`reports list`: every report and how its last run went."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from reporting.cli import exit_codes
from reporting.cli.amounts import NOTHING, moment_text
from reporting.cli.console import say
from reporting.cli.login import airflow_of
from reporting.cli.look import Look
from reporting.cli.report_dags import report_dags
from reporting.cli.text_table import aligned
from reporting.core.run import split_period
from reporting.core.states import INIT

if TYPE_CHECKING:
    from reporting.core.airflow_api import AirflowApi

EXAMPLES = """example:
  reports list
"""


@dataclass(frozen=True)
class LastRun:
    """How the newest run of a report went.

    Attributes:
        state: the one state of R3, with a word on duplicates.
        period: period key, or what was asked for.
        run_id: Airflow's run id.
    """

    state: str
    period: str | None
    run_id: str


def add_command(commands: Any, login: argparse.ArgumentParser) -> None:
    """Describe the command."""
    command = commands.add_parser(
        "list",
        parents=[login],
        help="every report, its schedule and its last run",
        description="List every report, its schedule and its last run.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print one line per report."""
    api = airflow_of(options)
    dags = report_dags(api)
    if not dags:
        say(f"Airflow at {api.base_url} knows no report; it reads new files within a minute.")
    else:
        say("\n".join(list_lines([(dag, last_run(api, dag["dag_id"])) for dag in dags])))
    return exit_codes.OK


def last_run(api: AirflowApi, report: str) -> LastRun | None:
    """Return the newest run of a report, if it ever ran."""
    path = f"dags/{quote(report, safe='')}/dagRuns"
    found = api.get(path, limit=1, order_by="-run_after")["dag_runs"]
    if not found:
        return None
    run_id = str(found[0]["dag_run_id"])
    look = Look(found[0], api.task_states(report, run_id))
    period, _ = split_period(found[0].get("conf") or {})
    if period is None:
        request = api.xcom(report, run_id, INIT)
        period = request["period"] if request else None
    state = f"{look.state} (duplicate)" if look.is_duplicate else look.state
    return LastRun(state, period, run_id)


def list_lines(reports: list[tuple[Mapping[str, Any], LastRun | None]]) -> list[str]:
    """Return the table."""
    headers = ["REPORT", "TITLE", "SCHEDULE", "NEXT RUN", "LAST RUN", "PERIOD", "RUN ID"]
    return aligned(headers, [_row(dag, last) for dag, last in reports])


def _row(dag: Mapping[str, Any], last: LastRun | None) -> list[str]:
    due = "paused" if dag["is_paused"] else moment_text(dag["next_dagrun_run_after"])
    return [
        str(dag["dag_id"]),
        str(dag["dag_display_name"]),
        str(dag["timetable_description"] or dag["timetable_summary"] or NOTHING),
        due,
        last.state if last else "never ran",
        (last and last.period) or NOTHING,
        last.run_id if last else NOTHING,
    ]
