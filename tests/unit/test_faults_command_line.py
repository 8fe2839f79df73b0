"""The command line of the fault harness, as its page calls it."""

from __future__ import annotations

import re
import shlex
import subprocess

import pytest

from embedded_stack.layout import CHECKOUT
from tests.docs_pages import SHELL, blocks, commands
from tests.faults.__main__ import main, parser

pytestmark = pytest.mark.unit

PAGE = CHECKOUT / "docs" / "how-to" / "chaos.md"
LINES = [command.line for block in blocks(PAGE, *SHELL) for command in commands(block)]


def test_what_the_page_gives_to_the_harness_is_understood() -> None:
    given = [shlex.split(found[1]) for line in LINES if (found := re.search('ARGS="(.*)"', line))]

    assert given
    for words in given:
        parser().parse_args(words)


def test_the_plans_can_be_looked_at_without_a_stack(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--list", "--runs", "3", "--seed", "17"]) == 0

    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in lines] == ["seed 17", "seed 18", "seed 19"]


def test_make_hands_on_what_it_is_given() -> None:
    words = ["make", "--old-file=setup", "chaos", "N=2", "SEED=5", "ARGS=--list"]

    done = subprocess.run(words, cwd=CHECKOUT, capture_output=True, text=True, check=True)

    assert [line.partition(":")[0] for line in done.stdout.splitlines()] == ["seed 5", "seed 6"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--report", "r"], "--report needs --first and --days"),
        (
            ["--report", "r", "--first", "2013-01-01", "--days", "3", "--runs", "4"],
            "--days 3 is too few; allowed: one for each of 4 runs",
        ),
        (["--report", "r", "--first", "soon"], "soon"),
        (["--runs", "0"], "--runs: got 0; allowed: 1 or more"),
        (["--at-once", "0"], "--at-once: got 0; allowed: 1 or more"),
        (["--first", "2013-01-01"], "--first and --days go with --report"),
    ],
)
def test_what_makes_no_sense_is_refused(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words)

    assert ended.value.code == 2
    assert said in capsys.readouterr().err
