"""`reports versions`: what was published of a report, and which version readers see."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from reporting.cli import exit_codes
from reporting.cli.amounts import NOTHING, count_text, moment_text
from reporting.cli.console import say, say_aside
from reporting.cli.described import described
from reporting.cli.login import airflow_of
from reporting.cli.report_api import RELEASES, pages, report_api_of
from reporting.cli.report_dags import known_dag
from reporting.cli.text_table import aligned
from reporting.definition.period import Period
from reporting.errors import InputError

if TYPE_CHECKING:
    from reporting.core.airflow_api import AirflowApi

HEADERS = ("PERIOD", "VERSION", "CURRENT", "PUBLISHED", "ROWS", "WITHOUT", "RUN ID")
NUMBERS = ("VERSION",)
EXAMPLES = f"""examples:
  reports versions airline_on_time
  reports versions airline_on_time --period 2013-07-04

Readers see the current version of a period. Show them another one with:
  reports roll-back REPORT PERIOD --to VERSION

{exit_codes.IN_WORDS}
"""
Release = dict[str, Any]


def add_command(commands: Any, login: argparse.ArgumentParser) -> None:
    """Describe the command."""
    what, more = "the published versions of one report", "; of the figures made with default params"
    command = commands.add_parser("versions", **described(login, what, EXAMPLES, more))
    command.add_argument("report", metavar="REPORT", help="name of the report")
    command.add_argument("--period", metavar="PERIOD", help="only of this one, such as 2013-07-04")
    command.add_argument(
        "--json", action="store_true", help="print one JSON object, also with other params"
    )
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print one line per version."""
    found = published(report_api_of(options), options.report, options.period)
    if not found:
        known_dag(airflow_of(options), options.report)  # "nothing" would hide a slip in the name
    shown = sorted(with_default_params(found), key=_place, reverse=True)
    if options.json:
        say(json.dumps({"versions": found}, indent=2, ensure_ascii=False))
        return exit_codes.OK
    of_period = f", {options.period}" if options.period else ""
    nothing = f"Nothing is published of {options.report}{of_period}, with default params."
    say("\n".join(versions_lines(shown)) if shown else nothing)
    if others := len(found) - len(shown):
        versions = count_text(others, "version")
        say_aside(f"{versions} with params of their own: see the report center, or --json.")
    return exit_codes.OK


def published(api: AirflowApi, report: str, period: str | None) -> list[Release]:
    """Return what was published, the newest first, with whatever params.

    Raises:
        InputError: the period is none.
    """
    if period is not None:
        _demand_period(period)
    return list(pages(api, RELEASES, "releases", report=report, period=period))


def with_default_params(found: Sequence[Release]) -> Iterator[Release]:
    """Yield those that a command can name by period and version."""
    return (one for one in found if one["is_default"])


def versions_lines(versions: Sequence[Release]) -> list[str]:
    """Return the table."""
    return aligned(HEADERS, [_cells(one) for one in versions], NUMBERS)


def _cells(release: Release) -> list[str]:
    rows = [f"{name} {count:,}" for name, count in release["row_counts"].items()]
    aside = [f"{count_text(n, 'row')} of {name}" for name, n in release["set_aside"].items()]
    return [
        release["period"],
        str(release["version"]),
        "yes" if release["is_current"] else NOTHING,
        moment_text(release["published_at"]),
        ", ".join(rows) or NOTHING,
        ", ".join([*release["missing"], *aside]) or NOTHING,
        release["run_id"],
    ]


def _place(release: Release) -> tuple[str, int]:
    return release["period"], release["version"]


def _demand_period(text: str) -> None:
    try:
        first = Period.first_day_of_key(text).isoformat()
    except ValueError:
        first = ""
    if text not in (first, first[: len("2013-07")]) or not first:
        raise InputError(
            f"Period {text!r} is no day and no month of the calendar; allowed: a day as "
            "YYYY-MM-DD or, of a monthly report, a month as YYYY-MM."
        )
