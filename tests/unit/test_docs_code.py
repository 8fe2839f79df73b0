"""Code in the documentation compiles, and what it defines can be built."""

from __future__ import annotations

import json
import re
from datetime import date, timedelta
from typing import Any

import pytest

import reporting
from embedded_stack.layout import CHECKOUT
from tests.docs_pages import ELLIPSIS, Block, all_blocks, commands

pytestmark = pytest.mark.unit

NAMES = {name: getattr(reporting, name) for name in reporting.__all__}
PYTHON = all_blocks("python")
# Not complete: `...` stands for what is left out. Not for the core: it needs Airflow.
ELSEWHERE = ("...", "build_dag")


@pytest.mark.parametrize("block", PYTHON, ids=lambda block: block.name)
def test_code_compiles(block: Block) -> None:
    compile(block.text, block.name, "exec")


@pytest.mark.parametrize(
    "block",
    [block for block in PYTHON if not any(word in block.text for word in ELSEWHERE)],
    ids=lambda block: block.name,
)
def test_parts_of_a_definition_can_be_built(block: Block) -> None:
    built = eval(block.text, {**NAMES, "date": date, "timedelta": timedelta})  # noqa: S307
    assert built


def test_the_excerpt_in_the_readme_is_a_report() -> None:
    excerpt = next(block for block in PYTHON if block.name == "README.md")
    text = excerpt.text.replace("{...}", '{"carrier": "text"}')
    # A query's file is looked for beside the file of `compute`.
    whole = f"def compute(inputs): return inputs\n{text}"
    made: dict[str, Any] = {**NAMES, "build_dag": lambda report: report}
    exec(compile(whole, CHECKOUT / "dags" / "x.py", "exec"), made)  # noqa: S102 - our own page
    assert made["dag"].name == "airline_on_time"


def test_messages_are_those_of_the_code() -> None:
    page = CHECKOUT / "docs" / "how-to" / "rerun-after-a-failure.md"
    table = page.read_text(encoding="utf-8").partition("| message |")[2].partition("\n\n")[0]
    messages = re.findall(r"^\| `([^`]+)`", table, re.MULTILINE)
    sources = (CHECKOUT / "include" / "reporting").rglob("*.py")
    text = "\n".join(path.read_text(encoding="utf-8") for path in sources)
    whole = re.sub(r'"\s*\n\s*f?"', "", text)  # a text over several lines, as it is printed
    assert messages
    for part in (part for message in messages for part in message.split(ELLIPSIS)):
        assert part in whole, part


def test_json_is_json() -> None:
    exported = [
        command.line.partition("=")[2].strip("'")
        for block in all_blocks("bash")
        for command in commands(block)
        if command.line.startswith("export AIRFLOW_CONN_")
    ]
    assert exported
    for text in [*exported, *(block.text for block in all_blocks("json"))]:
        assert isinstance(json.loads(text), dict), text
