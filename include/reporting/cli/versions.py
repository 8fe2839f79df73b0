"""`reports roll-back` and `reports withdraw`: what readers see of a period."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reporting.cli import exit_codes
from reporting.cli.console import say
from reporting.cli.described import described
from reporting.cli.report_api import report_api_of
from reporting.errors import InputError, choices

if TYPE_CHECKING:
    from reporting.core.airflow_api import AirflowApi

RELEASES = "releases"
PAGE = 200
ROLL_BACK = f"""examples:
  reports roll-back airline_on_time 2013-07-04 --to 1

No figure is changed or removed: readers see another version. The next publish of the period makes
the next version, and readers see that.

{exit_codes.IN_WORDS}
"""
WITHDRAW = f"""examples:
  reports withdraw airline_on_time 2013-07-04
  reports withdraw airline_on_time 2013-07-04 --yes

No figure is removed: readers see nothing of the period until it is published again, or rolled back
to a version.

{exit_codes.IN_WORDS}
"""
Release = dict[str, Any]
ROLLING_BACK, WITHDRAWING = "roll-back", "withdraw"


@dataclass(frozen=True)
class Move:
    """What is to be done.

    Attributes:
        act: `roll-back` or `withdraw`.
        release: which version.
        seen: what readers see now; None for nothing.
        what: what will be, in words.
    """

    act: str
    release: Release
    seen: Release | None
    what: str


def add_command(commands: Any, login: argparse.ArgumentParser) -> None:
    """Describe both commands."""
    back = _command(commands, login, ROLLING_BACK, "show readers another version", ROLL_BACK)
    back.add_argument(
        "--to", metavar="VERSION", type=int, required=True, help="version that they are to see"
    )
    back.set_defaults(run=run_roll_back)
    away = _command(commands, login, WITHDRAWING, "show readers nothing of a period", WITHDRAW)
    away.set_defaults(run=run_withdraw)


def _command(
    commands: Any, login: argparse.ArgumentParser, name: str, what: str, examples: str
) -> argparse.ArgumentParser:
    more = "; of the figures made with default params"
    command: argparse.ArgumentParser = commands.add_parser(
        name, **described(login, what, examples, more)
    )
    command.add_argument("report", metavar="REPORT", help="name of the report")
    command.add_argument("period", metavar="PERIOD", help="period key, such as 2013-07-04")
    command.add_argument("--yes", action="store_true", help="do not ask")
    return command


def run_roll_back(options: argparse.Namespace) -> int:
    """Show the version, after a question."""
    api = report_api_of(options)
    found = _versions(api, options)
    wanted = next((one for one in found if one["version"] == options.to), None)
    if wanted is None:
        known = tuple(str(one["version"]) for one in found)
        raise InputError(f"Version {options.to} is unknown; {choices(known, str(options.to))}")
    now = _seen(found)
    instead = f"instead of version {now['version']}" if now else "where they see nothing now"
    return _move(api, options, Move(ROLLING_BACK, wanted, now, f"readers will see it {instead}"))


def run_withdraw(options: argparse.Namespace) -> int:
    """Show nothing of the period, after a question."""
    api = report_api_of(options)
    now = _seen(_versions(api, options))
    if now is None:
        raise InputError(f"Readers see nothing of {options.report}, {options.period}.")
    what = "readers will see nothing of the period"
    return _move(api, options, Move(WITHDRAWING, now, now, what))


def _versions(api: AirflowApi, options: argparse.Namespace) -> list[Release]:
    """Return what was published of the period with default params, the newest first.

    Raises:
        InputError: nothing was.
    """
    asked = {"report": options.report, "period": options.period}
    found = [one for one in _pages(api, asked) if one["is_default"]]
    if not found:
        raise InputError(
            f"Nothing is published of {options.report}, {options.period}, with default params; "
            "allowed: a report and period that `reports runs` shows a version of."
        )
    return found


def _pages(api: AirflowApi, asked: dict[str, Any]) -> Iterator[Release]:
    cursor: dict[str, Any] = {}
    while True:
        page = api.get(RELEASES, **asked, limit=PAGE, **cursor)
        yield from page["releases"]
        if page["next_cursor"] is None:
            return
        cursor = {"cursor": page["next_cursor"]}


def _seen(found: list[Release]) -> Release | None:
    return next((one for one in found if one["is_current"]), None)


def _move(api: AirflowApi, options: argparse.Namespace, move: Move) -> int:
    name = f"Version {move.release['version']} of {options.report}, period {options.period}"
    if not options.yes and not _is_sure(f"{name}: {move.what}.", move.act):
        say("Nothing was changed.")
        return exit_codes.FAILED
    path = f"{RELEASES}/{move.release['release_id']}/{move.act}"
    # Who was asked about one version does not move another one that has come meanwhile.
    api.post(path, {"seen": move.seen["release_id"] if move.seen else 0})
    say(f"{name}, is {'what readers see' if move.act == ROLLING_BACK else 'withdrawn'}.")
    return exit_codes.OK


def _is_sure(what: str, act: str) -> bool:
    """Ask whether to go on.

    Raises:
        InputError: there is nobody to ask.
    """
    if not sys.stdin.isatty():
        raise InputError(f"{act} changes what readers see and can ask nobody here; add --yes.")
    return input(f"{what} Go on? [y/N] ").strip().lower() in ("y", "yes")
