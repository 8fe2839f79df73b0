"""`reports dead-letters show`: all that is known of one letter, and its message."""

from __future__ import annotations

import argparse
import json
from typing import Any

from reporting.cli import exit_codes
from reporting.cli.console import say
from reporting.cli.dead_letter_text import lines_of, unknown_letter
from reporting.cli.report_api import LETTERS, report_api_of
from reporting.cli.typed import as_typed
from reporting.core.airflow_api import NotFoundError
from reporting.errors import InputError

EXAMPLES = f"""examples:
  reports dead-letters show 17
  reports dead-letters show 17 --json

Of the message the beginning is shown, without what could be a secret.

{exit_codes.OF_LETTERS}
"""


def add_commands(commands: Any, login: argparse.ArgumentParser) -> None:
    """Describe the command."""
    command = commands.add_parser(
        "show",
        parents=[login],
        help="all that is known of one, and its message",
        description="Show all that is known of a dead letter, and the beginning of its message.",
        epilog=as_typed(EXAMPLES),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("number", metavar="ID", type=int, help="as the list and alerts name it")
    command.add_argument("--json", action="store_true", help="print one JSON object")
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the letter."""
    api = report_api_of(options)
    try:
        letter = api.get(f"{LETTERS}/{options.number}")
        beginning = api.get(f"{LETTERS}/{options.number}/payload")["beginning"]
    except NotFoundError:
        raise InputError(unknown_letter(options.number)) from None
    if options.json:
        say(json.dumps({**letter, "beginning": beginning}, indent=2, ensure_ascii=False))
    else:
        say("\n".join(lines_of(letter, beginning)))
    return exit_codes.OK
