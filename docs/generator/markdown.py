"""Pieces of Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

NOTE = "Made from the code by `docs/generate.py`; change it there."


def page(title: str, purpose: str, *parts: str) -> str:
    """Return a page whose first line says what it is for."""
    return "\n\n".join([f"# {title}", purpose, *parts, f"*{NOTE}*"]) + "\n"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(map(_cell, line))} |" for line in lines)


def block(text: str) -> str:
    """Return text as it is, in a fence without a language."""
    return f"```text\n{text.strip()}\n```"


def code(text: object) -> str:
    """Return text in the type of code."""
    return f"`{text}`"


def joined(text: str) -> str:
    """Return a text of several lines as one."""
    return re.sub(r"\s*\n\s*", " ", text.strip())


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
