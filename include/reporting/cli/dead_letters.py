"""`reports dead-letters`: messages that nobody could use."""

from __future__ import annotations

import argparse
import json
from typing import Any

from reporting.cli import dead_letters_act, dead_letters_show, exit_codes
from reporting.cli.console import say, say_aside
from reporting.cli.dead_letter_text import HEADERS, NUMBERS, cells
from reporting.cli.login import airflow_of, login_options
from reporting.cli.report_api import LETTERS, pages, report_api_of
from reporting.cli.report_dags import known_dag
from reporting.cli.text_table import aligned
from reporting.cli.typed import as_typed

STATES = ("waiting", "replayed", "discarded")
EXAMPLES = f"""examples:
  reports dead-letters
  reports dead-letters --report airline_on_time --source planes --all
  reports dead-letters show 17
  reports dead-letters replay 17 18
  reports dead-letters discard 19 --yes

A service that fails on a request again and again gives it up; a reply that makes no sense is set
aside. `report_janitor` collects both every few minutes. They wait here until somebody sends
them again or puts them away.

{exit_codes.OF_LETTERS}
"""


def add_command(commands: Any, login: argparse.ArgumentParser) -> None:
    """Describe the command and those below it."""
    command = commands.add_parser(
        "dead-letters",
        parents=[login],
        help="messages that nobody could use: list, show, replay, discard",
        description="List the messages that nobody could use, the newest first.",
        epilog=as_typed(EXAMPLES),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("--report", metavar="NAME", help="only of this report")
    command.add_argument("--source", metavar="NAME", help="only of this source")
    command.add_argument(
        "--all", action="store_true", help="also those that were replayed or discarded"
    )
    command.add_argument("--json", action="store_true", help="print one JSON object")
    command.set_defaults(run=run)
    below = command.add_subparsers(metavar="[command]")
    # Given above already, an option must not be forgotten here.
    login_below = login_options(argparse.SUPPRESS)
    for module in (dead_letters_show, dead_letters_act):
        module.add_commands(below, login_below)


def run(options: argparse.Namespace) -> int:
    """Print one line per letter."""
    api = report_api_of(options)
    states = STATES if options.all else STATES[:1]
    asked = {"report": options.report, "source": options.source, "state": states}
    found = list(pages(api, LETTERS, "dead_letters", **asked))
    if not found and options.report is not None:
        known_dag(airflow_of(options), options.report)  # "none" would hide a slip in the name
    if options.json:
        say(json.dumps({"dead_letters": found}, indent=2, ensure_ascii=False))
    elif found:
        say("\n".join(aligned(HEADERS, [cells(letter) for letter in found], NUMBERS)))
    else:
        say("There is no dead letter." if options.all else "No dead letter waits.")
    more = api.get(LETTERS, limit=1, cursor=None, **asked).get("uncollected")
    if more:
        say_aside(f"{more} more, of any report, wait on the broker for report_janitor to collect.")
    return exit_codes.OK
