"""The command line: python -m embedded_stack up|down|status|env."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from embedded_stack import airflow_settings, connections, environment_file
from embedded_stack.errors import StackError
from embedded_stack.layout import default_home
from embedded_stack.ports import Ports
from embedded_stack.stack import Stack
from embedded_stack.status import as_table


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    options = _parser().parse_args(arguments)
    try:
        stack = Stack(options.home, Ports.from_environment())
        return int(COMMANDS[options.command](stack, options))
    except StackError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("interrupted; `make up` goes on where it was, `make down` stops", file=sys.stderr)
        return 130


def _up(stack: Stack, options: argparse.Namespace) -> int:
    stack.up(options.only)
    if options.only is None:
        password = stack.layout.credentials.airflow_admin_password
        print(
            f"Airflow is at {airflow_settings.web_address(stack.layout)} "
            f"(user {connections.ADMIN}, password {password})"
        )
    return 0


def _down(stack: Stack, _: argparse.Namespace) -> int:
    stack.down()
    return 0


def _status(stack: Stack, _: argparse.Namespace) -> int:
    statuses = stack.status()
    print(as_table(statuses))
    return 0 if all(status.runs for status in statuses) else 1


def _env(stack: Stack, _: argparse.Namespace) -> int:
    print(environment_file.render(stack.layout), end="")
    return 0


COMMANDS = {"up": _up, "down": _down, "status": _status, "env": _env}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m embedded_stack",
        description="PostgreSQL, an S3 store, sample services and Airflow in one folder.",
        epilog="Ports move with REPORTS_PORT_<NAME>, the folder with REPORTS_HOME or --home.",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")
    up = commands.add_parser("up", help="start what does not run and wait until it can be used")
    commands.add_parser("down", help="stop everything of this home; data stays")
    commands.add_parser("status", help="show every service; exit code 0 only if all run")
    commands.add_parser("env", help="print the environment as lines for a shell")
    up.add_argument(
        "--only",
        type=lambda text: text.split(","),
        metavar="NAMES",
        help="start these services only, for example postgres,store",
    )
    for command in commands.choices.values():
        command.add_argument(
            "--home",
            type=Path,
            default=default_home(),
            help="folder of the stack (default: %(default)s)",
        )
    return parser


if __name__ == "__main__":
    sys.exit(main())
