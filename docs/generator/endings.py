"""The page of every way in which a run can end; each row is a test."""

from __future__ import annotations

from docs.generator.markdown import code, page, table
from tests.faults.endings import FAILED, GONE, Ending, endings

BY_HAND = ("the run marked failed", "over the limit of the run")
ELSEWHERE = {
    "a part of the stack, a worker, or all sessions of the database killed": (
        "faults/test_seeds",
        "e2e/test_stack_killed",
    ),
    "the process of the task gone without a word": ("e2e/test_killed",),
    "any of them while a service works on a job or a message": ("e2e/test_no_orphans",),
    "the warehouse, a source or a channel of alerts away": (
        "e2e/test_sources_down",
        "e2e/test_failure",
    ),
}


def endings_page() -> str:
    """Return the page."""
    cells = endings()
    return page(
        "Endings",
        "This page lists what comes of a run, whatever ends it and wherever it is by then.",
        "Each row is played on a live stack by "
        "[test_endings](../../tests/faults/test_endings.py). Afterwards, whatever the row says, "
        "a release has exactly what its sources held, at most one is current, and no claim, staged "
        "data, open upload, file, reply queue or job of the run is left.",
        *(_section(how, cells) for how in dict.fromkeys(cell.how for cell in cells)),
        "## Further endings",
        table(["what ends it", "shown by"], map(_further, ELSEWHERE)),
    )


def _section(how: str, cells: list[Ending]) -> str:
    rows = [_row(cell) for cell in cells if cell.how == how]
    head = ["while it is in", "the run", "figures", "undone by", "told"]
    return f"## {how[0].upper()}{how[1:]}\n\n{table(head, rows)}"


def _row(cell: Ending) -> list[str]:
    figures = "published" if cell.is_published else "as before"
    told = "once by each channel" if cell.state == FAILED else "no"
    return [cell.step, cell.state, figures, _undone_by(cell), told]


def _undone_by(cell: Ending) -> str:
    if cell.is_published:
        return "nothing to undo"
    is_late = cell.state == GONE or cell.how in BY_HAND
    return code("report_janitor") if is_late else code("compensate")


def _further(how: str) -> list[str]:
    links = [f"[{name.partition('/')[2]}](../../tests/{name}.py)" for name in ELSEWHERE[how]]
    return [how, ", ".join(links)]
