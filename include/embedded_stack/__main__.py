"""The command line: python -m embedded_stack up|down|status|login|psql|env."""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from embedded_stack import environment_file, kept_ports, login, warehouse_shell
from embedded_stack.called_as import CalledAs
from embedded_stack.errors import StackError
from embedded_stack.layout import default_home
from embedded_stack.ports import Ports
from embedded_stack.progress import print_now
from embedded_stack.stack import Stack
from embedded_stack.status import ABSENT, as_table


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    words = sys.argv[1:] if arguments is None else arguments
    options = _parser().parse_args(words)
    try:
        return int(COMMANDS[options.command](_stack(options, words), options))
    except StackError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("interrupted; `make up` goes on where it was, `make down` stops", file=sys.stderr)
        return 130


def _stack(options: argparse.Namespace, words: Sequence[str]) -> Stack:
    """The stack of the home; only `up` moves ports, everything else finds it where it is."""
    ports = kept = kept_ports.read(options.home)
    if options.command == "up" or ports is None:
        ports = Ports.from_environment(os.environ, kept)
    return Stack(options.home.absolute(), ports, called=CalledAs.read(os.environ, words))


def _up(stack: Stack, options: argparse.Namespace) -> int:
    stack.up(options.only)
    if options.only is None:
        print_now(login.closing_words(stack.layout))
    return 0


def _down(stack: Stack, _: argparse.Namespace) -> int:
    stack.down()
    return 0


def _status(stack: Stack, _: argparse.Namespace) -> int:
    statuses = stack.status()
    print_now(as_table(statuses))
    return 0 if all(status.runs for status in statuses if status.state != ABSENT) else 1


def _login(stack: Stack, _: argparse.Namespace) -> int:
    print_now(login.in_full(stack.layout))
    return 0


def _psql(stack: Stack, options: argparse.Namespace) -> int:
    warehouse_shell.become(stack.layout, options.words)


def _env(stack: Stack, _: argparse.Namespace) -> int:
    print_now(environment_file.render(stack.layout).rstrip("\n"))
    return 0


COMMANDS = {
    "up": _up, "down": _down, "status": _status, "login": _login, "psql": _psql, "env": _env,
}  # fmt: skip


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m embedded_stack",
        description="PostgreSQL, an S3 store, RabbitMQ, sample services and Airflow in one folder.",
        epilog="REPORTS_PORT_<NAME> moves a port at `up`, and the folder keeps it from then on. "
        "Another folder: REPORTS_HOME or --home.",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")
    up = commands.add_parser("up", help="start what does not run and wait until it can be used")
    commands.add_parser("down", help="stop everything of this home; data stays")
    commands.add_parser("status", help="show every service; exit code 0 only if all run that can")
    commands.add_parser("login", help="print address, user and password of Airflow")
    psql = commands.add_parser("psql", help="look into the warehouse or `operations` with SQL")
    commands.add_parser("env", help="print the environment as lines for a shell")
    up.add_argument(
        "--only",
        type=lambda text: text.split(","),
        metavar="NAMES",
        help="start these services only, for example postgres,store",
    )
    psql.add_argument(
        "words",
        nargs="*",
        metavar="[database] query",
        help="warehouse (default), or operations, which can only be read; then one query "
        "(default: psql asks for them)",
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
