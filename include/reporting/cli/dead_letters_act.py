"""`reports dead-letters replay|discard`: sends messages again, or puts them away."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from reporting.cli import exit_codes
from reporting.cli.console import say, say_aside
from reporting.cli.dead_letter_text import unknown_letter
from reporting.cli.described import described
from reporting.cli.report_api import LETTERS, report_api_of
from reporting.core.airflow_api import NotFoundError
from reporting.errors import InputError, TerminalError

if TYPE_CHECKING:
    from reporting.core.airflow_api import AirflowApi

REPLAY = f"""examples:
  reports dead-letters replay 17
  reports dead-letters replay 17 18 19

A message goes back to the queue it was for, and to no other. If the run has moved on, it is
refused with the reason. One that fails again comes back here, and its tries go on counting.

{exit_codes.OF_LETTERS}
"""
DISCARD = f"""examples:
  reports dead-letters discard 17
  reports dead-letters discard 17 18 19 --yes

The messages are removed; what is known of the letters is kept for 30 days.

{exit_codes.OF_LETTERS}
"""


def add_commands(commands: Any, login: argparse.ArgumentParser) -> None:
    """Describe both commands."""
    replay = _command(
        commands, login, "replay", "send messages again to where they were for", REPLAY
    )
    replay.set_defaults(run=run_replay)
    discard = _command(commands, login, "discard", "put messages away and remove them", DISCARD)
    discard.add_argument("--yes", action="store_true", help="do not ask")
    discard.set_defaults(run=run_discard)


def _command(
    commands: Any, login: argparse.ArgumentParser, name: str, what: str, examples: str
) -> argparse.ArgumentParser:
    command: argparse.ArgumentParser = commands.add_parser(name, **described(login, what, examples))
    command.add_argument(
        "numbers", metavar="ID", nargs="+", type=int, help="as the list and alerts name it"
    )
    return command


def run_replay(options: argparse.Namespace) -> int:
    """Send each message again."""
    return each(report_api_of(options), options.numbers, "replay", "Replayed")


def run_discard(options: argparse.Namespace) -> int:
    """Put each message away, after a question."""
    if not options.yes and not is_sure(options.numbers):
        say("Nothing was discarded.")
        return exit_codes.FAILED
    return each(report_api_of(options), options.numbers, "discard", "Discarded")


def is_sure(numbers: Sequence[int]) -> bool:
    """Ask whether to go on.

    Raises:
        InputError: there is nobody to ask.
    """
    if not sys.stdin.isatty():
        raise InputError("discard removes messages for good and can ask nobody here; add --yes.")
    listed = ", ".join(map(str, numbers))
    answer = input(f"Remove the message of dead letter {listed} for good? [y/N] ")
    return answer.strip().lower() in ("y", "yes")


def each(api: AirflowApi, numbers: Sequence[int], act: str, done: str) -> int:
    """Do it to each letter and say what came of it; none stops another."""
    refused = 0
    for number in dict.fromkeys(numbers):
        try:
            api.post(f"{LETTERS}/{number}/{act}", {})
            say(f"{done} {number}")
        except TerminalError as error:
            refused += 1
            is_there = not isinstance(error, NotFoundError)
            say_aside(f"refused: {error if is_there else unknown_letter(number)}")
    return exit_codes.REFUSED if refused else exit_codes.OK
