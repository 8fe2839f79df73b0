"""`reports reconcile`: compares what runs have made everywhere, and repairs on demand."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from reporting.cli import exit_codes
from reporting.cli.amounts import count_text
from reporting.cli.console import say, say_aside
from reporting.cli.login import airflow_of
from reporting.cli.reconcile_text import DECIDE, advice_on, table_of
from reporting.cli.report_api import RECONCILIATION, RELEASES, pages, report_api_of
from reporting.cli.report_dags import known_dag, known_run, report_of_run
from reporting.cli.typed import as_typed
from reporting.core.reconcile.difference import DAYS
from reporting.errors import InputError

if TYPE_CHECKING:
    from reporting.core.airflow_api import AirflowApi

PATIENCE_SECONDS = 900.0  # a look at everything takes long where there is much
NARROWED_BY = ("report", "run_id", "days", "grace_minutes")
Found = Mapping[str, Any]
EXAMPLES = f"""examples:
  reports reconcile
  reports reconcile --report airline_on_time --days 30
  reports reconcile --repair

Compares source counts, staged, computed and published rows, and files of the releases that readers
see; and finds what ended runs have left in the store, the warehouse, the broker and at services.
Nothing is changed without --repair.

{exit_codes.OF_RECONCILIATION}
"""


def add_command(commands: Any, login: argparse.ArgumentParser) -> None:
    """Describe the command."""
    command = commands.add_parser(
        "reconcile",
        parents=[login],
        help="compare what runs have made everywhere, and repair it on demand",
        description="Compare what runs have made everywhere, and say what differs.",
        epilog=as_typed(EXAMPLES),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("--report", metavar="NAME", help="only of this report")
    command.add_argument("--run", dest="run_id", metavar="RUN", help="only of this run")
    command.add_argument(
        "--days", type=int, metavar="N", help="releases of the last N days (default: 7)"
    )
    command.add_argument(
        "--grace",
        dest="grace_minutes",
        type=int,
        metavar="MINUTES",
        help="let be what has ended or was written within so many minutes (default: 60)",
    )
    command.add_argument("--repair", action="store_true", help="repair what the rules allow")
    command.add_argument("--yes", action="store_true", help="repair without asking")
    command.add_argument("--json", action="store_true", help="print one JSON object")
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print what differs, repair it if that was asked for, and say by exit code whether any is."""
    api = replace(report_api_of(options), patience=PATIENCE_SECONDS)
    if options.report is not None:
        known_dag(
            airflow_of(options), options.report
        )  # "nothing differs" would hide a slip in the name
    given = {name: getattr(options, name) for name in NARROWED_BY}
    asked = {name: value for name, value in given.items() if value is not None}
    found: Found = api.get(RECONCILIATION, **asked)
    if options.run_id is not None and not found["differences"]:
        _demand_run(options)  # nor is there anything of a run that is not there
    if options.repair:
        found = _repaired(api, asked, found, options)
    _say(api, found, options)
    if found["differences"]:
        return exit_codes.DIFFERENCES
    return exit_codes.FAILED if found["unseen"] else exit_codes.OK


def _demand_run(options: argparse.Namespace) -> None:
    api = airflow_of(options)
    report = options.report or report_of_run(api, options.run_id)
    known_run(api, report, options.run_id)


def compared(api: AirflowApi, options: argparse.Namespace) -> str:
    """Return in words what was compared: how many releases, and that more than those was."""
    days = options.days or DAYS
    since = datetime.now(UTC) - timedelta(days=days)
    listed = pages(api, RELEASES, "releases", report=options.report, is_current=True)
    # The newest come first, so the older pages are never asked for.
    recent = takewhile(lambda one: datetime.fromisoformat(one["published_at"]) > since, listed)
    count = sum(options.run_id in (None, one["run_id"]) for one in recent)
    releases = count_text(count, "release")
    return (
        f"the {releases} that readers see of the last {count_text(days, 'day')} "
        f"{'was' if count == 1 else 'were'} compared, and ended runs have left nothing behind"
    )


def _repaired(
    api: AirflowApi, asked: Mapping[str, Any], found: Found, options: argparse.Namespace
) -> Found:
    """Repair what the rules allow, after a question; return what is left."""
    due = [one for one in found["differences"] if one["rule"] != DECIDE]
    if not due:
        return found
    if not options.yes and not _is_sure(due):
        say_aside("Nothing was repaired.")
        return found
    return api.post(f"{RECONCILIATION}/repair", asked)


def _is_sure(due: list[Found]) -> bool:
    """Show what would be repaired, and ask whether to go on.

    Raises:
        InputError: there is nobody to ask.
    """
    if not sys.stdin.isatty():
        raise InputError("--repair removes what ended runs have left; nobody to ask: add --yes.")
    say_aside("\n".join(table_of(due)))
    answer = input(f"Repair {count_text(len(due), 'difference')} by these rules? [y/N] ")
    return answer.strip().lower() in ("y", "yes")


def _say(api: AirflowApi, found: Found, options: argparse.Namespace) -> None:
    for fault in found["unseen"]:
        say_aside(f"not looked at: {fault}")
    if options.json:
        say(json.dumps(found, indent=2, ensure_ascii=False))
        return
    for one in found.get("repaired", ()):
        say(f"Repaired ({one['rule']}): {one['kind']}, {one['what']}: {one['found']}")
    if found["differences"]:
        say("\n".join([*table_of(found["differences"]), "", *advice_on(found["differences"])]))
    elif found["unseen"]:
        say("Nothing differs in what was seen.")
    else:
        say(f"Nothing differs: {compared(api, options)}.")
