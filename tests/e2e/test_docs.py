"""The tutorial, done as it is written: every command in order, every figure compared.

Then the pages on published figures and on rolling them back, on what the tutorial has made.
"""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from embedded_stack.layout import CHECKOUT
from tests.docs_pages import Block, Command, blocks, commands, missing_line
from tests.e2e.conftest import EXTRA_DAGS
from tests.e2e.live import Live

TUTORIAL = CHECKOUT / "docs" / "tutorial.md"
READING = CHECKOUT / "docs" / "how-to" / "read-published-figures.md"
ROLLING_BACK = CHECKOUT / "docs" / "how-to" / "roll-back-a-version.md"
FILE = "dags/my_report.py"
REPORT = "my_report"
RUN_ID = re.compile(r"(?:Started|Run: ) +(\S+)$", re.MULTILINE)
# Would end the stack that all tests share.
LEFT_OUT = ("make down",)
LIST_SECONDS = 60  # Airflow reads new files by itself


@dataclass
class Reader:
    """Somebody who works through the page on the stack of the tests.

    Attributes:
        live: the stack.
        file: where Airflow reads the report of the page.
        run_id: of the run that was seen last.
        did: command lines, as the page has them.
    """

    live: Live
    file: Path
    run_id: str = ""
    did: list[str] = field(default_factory=list)

    def follow(self, block: Block) -> None:
        """Do what one block of the page says."""
        match block.language:
            case "python":
                self.file.write_text(block.text, encoding="utf-8")
            case "diff":
                self._edit(block.text)
            case "console":
                for command in commands(block):
                    self._do(command)

    def _edit(self, diff: str) -> None:
        before, after = (
            re.findall(rf"^{re.escape(sign)}(.*)$", diff, re.MULTILINE) for sign in "-+"
        )
        text = self.file.read_text(encoding="utf-8")
        assert text.count("\n".join(before)) == 1
        self.file.write_text(text.replace("\n".join(before), "\n".join(after)), encoding="utf-8")

    def _do(self, command: Command) -> None:
        if command.line in LEFT_OUT:
            return
        patience = LIST_SECONDS if command.line.endswith("reports list") else 0
        deadline = time.monotonic() + patience
        while (fault := self._fault(command)) and time.monotonic() < deadline:
            time.sleep(1)
        assert not fault, fault
        self.did.append(command.line)

    def _fault(self, command: Command) -> str | None:
        """Run it and return what the page shows and the command does not."""
        output = self.run(command.line)
        if found := RUN_ID.findall(output):
            self.run_id = found[-1]
        missing = missing_line(command.output, output)
        return None if missing is None else f"{command.line}\nlacks: {missing}\n{output}"

    def run(self, line: str) -> str:
        """Run a command of the page in a shell, its places made those of the stack."""
        here = line.replace(FILE, str(self.file)).replace("RUN_ID", self.run_id)
        here = re.sub(r"(?<![\w/])var/", f"{self.live.home}/", here)
        # The stack is up; `up` of the command line would take the tests' own settings from it.
        here = here.replace("make demo", "make --old-file=up demo")
        done = subprocess.run(
            ["/bin/bash", "-c", here],
            env=os.environ | self.live.stack.environment(),
            cwd=CHECKOUT,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        return done.stdout + done.stderr


@pytest.fixture
def reader(live: Live) -> Iterator[Reader]:
    """A reader who leaves nothing behind."""
    file = EXTRA_DAGS / Path(FILE).name
    yield Reader(live, file)
    file.unlink(missing_ok=True)


def test_the_pages_can_be_followed(reader: Reader) -> None:
    for block in blocks(TUTORIAL):
        reader.follow(block)
    assert [line for line in reader.did if "trigger" in line]
    assert not reader.file.exists()
    periods = reader.live.rows(
        "SELECT period, version FROM reporting.release WHERE report = %s ORDER BY period", REPORT
    )
    assert periods == [("2013-07-04", 1), ("2013-07-05", 1)]
    _read_the_figures(reader)
    _roll_back(reader)


def _read_the_figures(reader: Reader) -> None:
    """Follow the page on published figures; each of its queries finds something."""
    reader.live.run("airline_on_time", period="2013-07-04", carrier="UA")
    for block in blocks(READING, "console"):
        reader.follow(block)
    for query in blocks(READING, "sql"):
        found = reader.live.rows(query.text)
        # Which release is the first is not known here.
        assert found or "release_id = 1" in query.text, query.text


def _roll_back(reader: Reader) -> None:
    """Follow the page on rolling back; its query tells of both commands."""
    for block in blocks(ROLLING_BACK, "console"):
        reader.follow(block)
    (query,) = blocks(ROLLING_BACK, "sql")
    moves = [row[3:] for row in reader.live.rows(query.text)]
    (away, back) = moves[-2:]
    assert (away[1], back[0]) == (None, None)
    assert back[1] is not None
