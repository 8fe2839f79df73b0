"""Every command of the documentation exists and is understood by what it calls."""

from __future__ import annotations

import os
import re
import shlex
from importlib.util import find_spec

import pytest
from docs.generator.cli import make_targets

from embedded_stack.__main__ import _parser as stack_parser
from embedded_stack.layout import CHECKOUT
from reporting.cli.main import parser as reports_parser
from sample_services.demo.__main__ import parser as demo_parser
from tests.docs_pages import SHELL, Command, all_blocks, commands

pytestmark = pytest.mark.unit

COMMANDS = [(block, command) for block in all_blocks(*SHELL) for command in commands(block)]
MODULES = {"embedded_stack": stack_parser, "sample_services.demo": demo_parser}
# Programs of the machine; what they are given is checked by the test of paths.
PLAIN = {"cat", "cd", "chmod", "cp", "git", "ls", "pip", "rm", "."}
MAKE_VARIABLES = set(
    re.findall(r"^([A-Z]+) \?=", (CHECKOUT / "Makefile").read_text(), re.MULTILINE)
)
ASSIGNMENT = re.compile(r"[A-Z_]+=")


@pytest.mark.parametrize(
    ("name", "command"), [(block.name, command) for block, command in COMMANDS], ids=repr
)
def test_the_command_is_understood(name: str, command: Command) -> None:
    words = shlex.split(command.line)
    while words and ASSIGNMENT.match(words[0]):
        words.pop(0)
    if not words or words[0] == "export":
        return
    program = words[0].rpartition("/")[2] or words[0]
    assert program in CHECKS or words[0] in PLAIN, f"{name}: {command.line}"
    if program in CHECKS:
        CHECKS[program](words[1:])


def check_make(words: list[str]) -> None:
    for word in words:
        variable, equals, _ = word.partition("=")
        assert variable in (MAKE_VARIABLES if equals else make_targets()), word


def check_reports(words: list[str]) -> None:
    reports_parser().parse_args(words)


def check_python(words: list[str]) -> None:
    if words[0] != "-m":
        return  # a file, which another test looks for
    assert find_spec(words[1]) is not None, words[1]
    if words[1] in MODULES:
        MODULES[words[1]]().parse_args(words[2:])


def check_docker(words: list[str]) -> None:
    from tests.compose_project import services

    assert words[0] == "compose"
    named = [word for word in words[2:] if not word.startswith("-")]
    if words[1] in ("logs", "exec", "restart") and named:
        assert named[0] in services()


def check_airflow(words: list[str]) -> None:
    """Its own parser is asked in tests/dags, where Airflow has a home."""
    assert words


CHECKS = {
    "make": check_make,
    "reports": check_reports,
    "python": check_python,
    "docker": check_docker,
    "airflow": check_airflow,
}


def test_programs_of_the_venv_exist() -> None:
    named = {
        word for _, command in COMMANDS for word in re.findall(r"\.venv/bin/\w+", command.line)
    }
    assert named
    assert [path for path in named if not os.access(CHECKOUT / path, os.X_OK)] == []
