"""`reports roll-back` and `reports withdraw`: what readers see of a period."""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reporting.cli import exit_codes
from reporting.cli.console import say
from reporting.cli.described import described
from reporting.cli.list_versions import Release, published, with_default_params
from reporting.cli.report_api import RELEASES, report_api_of
from reporting.cli.typed import command
from reporting.errors import InputError

if TYPE_CHECKING:
    from reporting.core.airflow_api import AirflowApi

ROLL_BACK = f"""examples:
  reports versions airline_on_time --period 2013-07-04
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
    parser: argparse.ArgumentParser = commands.add_parser(
        name, **described(login, what, examples, more)
    )
    parser.add_argument("report", metavar="REPORT", help="name of the report")
    parser.add_argument("period", metavar="PERIOD", help="period key, such as 2013-07-04")
    parser.add_argument("--yes", action="store_true", help="do not ask")
    return parser


def run_roll_back(options: argparse.Namespace) -> int:
    """Show the version, after a question."""
    api = report_api_of(options)
    found = _versions(api, options)
    wanted = next((one for one in found if one["version"] == options.to), None)
    if wanted is None:
        raise InputError(f"Version {options.to} is unknown; {_allowed(found, options)}")
    now = _seen(found)
    if wanted is now:
        others = [one for one in found if one is not now]
        raise InputError(
            f"Version {options.to} is what readers see already; {_allowed(others, options)}"
        )
    instead = f"instead of version {now['version']}" if now else "where they see nothing now"
    return _move(api, options, Move(ROLLING_BACK, wanted, now, f"readers will see it {instead}"))


def run_withdraw(options: argparse.Namespace) -> int:
    """Show nothing of the period, after a question."""
    api = report_api_of(options)
    now = _seen(_versions(api, options))
    if now is None:
        raise InputError(
            f"Readers see nothing of {options.report}, {options.period}. {_look(options)}"
        )
    what = "readers will see nothing of the period"
    return _move(api, options, Move(WITHDRAWING, now, now, what))


def _versions(api: AirflowApi, options: argparse.Namespace) -> list[Release]:
    """Return what was published of the period with default params, the newest first.

    Raises:
        InputError: nothing was.
    """
    found = list(with_default_params(published(api, options.report, options.period)))
    if not found:
        raise InputError(
            f"Nothing is published of {options.report}, {options.period}, with default params. "
            f"See what is: {command()} versions {options.report}"
        )
    return found


def _allowed(found: list[Release], options: argparse.Namespace) -> str:
    """Return which versions may be named, and by which command they are looked at."""
    known = ", ".join(str(number) for number in sorted(one["version"] for one in found))
    return f"allowed: {known or 'none, it is the only one'}. {_look(options)}"


def _look(options: argparse.Namespace) -> str:
    return f"See all: {command()} versions {options.report} --period {options.period}"


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
