"""The page of what each source does with each fault; every row names the test that shows it."""

from __future__ import annotations

import ast
from pathlib import Path

from docs.generator import drop_faults, http_faults, job_faults, message_faults
from docs.generator.fault_row import AGAIN, ENDS, LETTER, NONE, WAITS, Fault
from docs.generator.markdown import page, table

from embedded_stack.layout import CHECKOUT

ROWS = (*http_faults.ROWS, *job_faults.ROWS, *message_faults.ROWS, *drop_faults.ROWS)
OUTCOMES = {
    AGAIN: "Nothing is staged, and the fetch fails with an error that its `retry` applies to: the "
    "next try fetches the whole source anew.",
    ENDS: "Nothing is staged, and the fetch fails at once: trying again would change nothing. The "
    "error says where, what came, and what is allowed.",
    WAITS: "The waiting goes on, without a worker, until the source's own time limits are over.",
    LETTER: "The message is set aside with its reason, and those behind it are taken.",
    NONE: "It is dealt with on the spot, and the fetch goes on.",
}


def faults() -> str:
    """Return the page."""
    sources = dict.fromkeys(row.source for row in ROWS)
    return page(
        "Faults",
        "This page lists what each source does with every fault that can reach it.",
        "Each row is a test that speaks to a real server over real sockets; its name links to it. "
        "Whatever its row says, no fault has part of a source staged, a row staged twice, or a "
        "secret shown.",
        table(["outcome", "meaning"], OUTCOMES.items()),
        *(f"## {source}\n\n{_rows(source)}" for source in sources),
    )


def names_of_tests(file: str) -> set[str]:
    """Return the names of the tests in a file below `tests`."""
    tree = ast.parse((CHECKOUT / "tests" / file).read_text(encoding="utf-8"))
    functions = (node for node in tree.body if isinstance(node, ast.FunctionDef))
    return {node.name for node in functions if node.name.startswith("test_")}


def _rows(source: str) -> str:
    lines = [_line(row) for row in ROWS if row.source == source]
    return table(["fault", "outcome", "then", "shown by"], lines)


def _line(row: Fault) -> list[str]:
    link = f"[{row.test.removeprefix('test_')}](../../{Path('tests', row.file)})"
    return [row.fault, row.outcome, row.then, link]
