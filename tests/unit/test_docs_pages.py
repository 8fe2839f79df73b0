"""The checks of the documentation notice what they are there for."""

from __future__ import annotations

from pathlib import Path

import pytest

from embedded_stack.layout import CHECKOUT
from tests.docs_pages import Block, Command, blocks, commands, missing_line
from tests.unit.test_docs_commands import test_the_command_is_understood as understand
from tests.unit.test_docs_links import test_links_lead_somewhere as follow_links
from tests.unit.test_docs_links import test_named_files_exist as find_files
from tests.unit.test_docs_links import test_named_variables_exist as find_variables

pytestmark = pytest.mark.unit

PAGE = """
1. Start:

   ```console
   $ make up   # takes a while
   ready

   $ ls
   1
   ```

```bash
export A=1

# not a command
make down
```
"""


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "page.md"
    path.write_text(PAGE, encoding="utf-8")
    return path


def test_a_page_is_taken_apart(page: Path) -> None:
    prompted, plain = blocks(page)
    assert commands(prompted) == [
        Command("make up", output=["ready"]),
        Command("ls", output=["1"]),
    ]
    assert [command.line for command in commands(plain)] == ["export A=1", "make down"]


@pytest.mark.parametrize(
    ("expected", "missing"),
    [
        (["TOTAL 842", "File: …/a.csv"], None),
        (["TOTAL 84"], "TOTAL 84"),
        (["File: …/b.csv"], "File: …/b.csv"),
        (["File: …/a.csv", "TOTAL 842"], "TOTAL 842"),
    ],
)
def test_lines_are_found_whole_and_in_order(expected: list[str], missing: str | None) -> None:
    assert missing_line(expected, "Started x\nTOTAL 842\nFile: x/y/a.csv\n") == missing


@pytest.mark.parametrize(
    "line",
    [
        "make demi",
        "make demo DAY=2013-07-04",
        ".venv/bin/reports trigger airline_on_time --perod 2013-07-04",
        ".venv/bin/python -m embedded_stack start",
        ".venv/bin/python -m sample_services.demos",
        "docker compose logs airflow-webserver",
        "sudo reboot",
    ],
)
def test_a_wrong_command_is_noticed(line: str) -> None:
    with pytest.raises((AssertionError, SystemExit)):
        understand("page", Command(line))


@pytest.mark.parametrize(
    ("check", "text"),
    [
        (follow_links, "[here](nowhere.md)"),
        (follow_links, "[here](#no-such-part)"),
        (find_files, "look into `var/logs/store.log`"),
        (find_files, "see `include/reporting/no_such.py`"),
        (find_variables, "set `REPORTS_PORT_WEBB`"),
        (find_variables, "set `REPORTING_STAGE_BUCKET`"),
        (find_variables, "set `AIRFLOW__API__BASE_URI`"),
    ],
)
def test_a_wrong_name_is_noticed(check: object, text: str, tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text(f"# Page\n\nThis page says: {text}\n", encoding="utf-8")
    assert callable(check)
    with pytest.raises(AssertionError):
        check(path)


def test_blocks_are_named_by_their_page() -> None:
    assert Block(CHECKOUT / "docs" / "tutorial.md", "bash", "").name == "docs/tutorial.md"
