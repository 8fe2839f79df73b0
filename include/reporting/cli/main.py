"""The command line, `reports`: each command is a module."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from reporting.cli import (
    clear,
    dead_letters,
    exit_codes,
    list_reports,
    list_runs,
    list_versions,
    reconcile,
    status,
    trigger,
    versions,
)
from reporting.cli.guarded import guarded
from reporting.cli.login import login_options
from reporting.cli.typed import as_typed, command

EXAMPLES = f"""examples:
  . var/stack.env                    load the address and login of the embedded stack
  reports list
  reports trigger airline_on_time --period 2013-01-01 --wait
  reports status 'manual__2026-01-31T06:00:00+00:00'

{exit_codes.IN_WORDS}
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    options = parser().parse_args(arguments)
    return guarded(lambda: options.run(options))


def parser() -> argparse.ArgumentParser:
    """Describe the command line."""
    described = argparse.ArgumentParser(
        prog=command(),
        description="Start reports, see how they went, and run them again.",
        epilog=as_typed(EXAMPLES),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = described.add_subparsers(required=True, metavar="command")
    login = login_options()
    modules = (
        list_reports,
        list_runs,
        list_versions,
        trigger,
        status,
        clear,
        versions,
        dead_letters,
        reconcile,
    )
    for module in modules:
        module.add_command(commands, login)
    return described


if __name__ == "__main__":
    sys.exit(main())
