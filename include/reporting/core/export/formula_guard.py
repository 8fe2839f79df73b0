"""Text that a spreadsheet would run as a formula, and how it is made harmless.

An apostrophe is put in front. Text that already begins with apostrophes before a formula gets one
more, so the guard can be undone: `unguarded(guarded(text)) == text` for every text.
Only text is guarded; a number such as -5.20 is never touched.
"""

from __future__ import annotations

import re

# The first visible character decides, as programs skip blanks before it; the full-width signs are
# read as = + - @ under East Asian settings. A leading tab or line end can begin a new cell.
_RUNS = re.compile(r"'*(?:[\t\r\n]|\s*[=+\-@＝＋－＠])")  # noqa: RUF001


def would_run(text: str) -> bool:
    """Tell whether a spreadsheet may take the text for a formula."""
    return _RUNS.match(text) is not None


def guarded(text: str) -> str:
    """Return the text with an apostrophe in front if it would run."""
    return f"'{text}" if would_run(text) else text


def unguarded(text: str) -> str:
    """Return the text that `guarded` was given."""
    return text[1:] if text.startswith("'") and would_run(text[1:]) else text
