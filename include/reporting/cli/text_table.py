"""Columns of text that line up, also with Chinese in them."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Sequence

GAP = "  "


def aligned(
    headers: Sequence[str], rows: Sequence[Sequence[str]], right: Collection[str] = ()
) -> list[str]:
    """Return one line per row under a line of headers.

    Args:
        headers: heading of each column.
        rows: cells, as many per row as there are headers.
        right: headings of the columns to align on the right, as numbers are.
    """
    lines = [headers, *rows]
    widths = [max(map(columns_wide, cells)) for cells in zip(*lines, strict=True)]
    to_right = [header in right for header in headers]
    return [_line(line, widths, to_right) for line in lines]


def columns_wide(text: str) -> int:
    """Return how many columns a terminal needs for `text`."""
    return sum(_width(character) for character in text)


def _width(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _line(cells: Sequence[str], widths: Sequence[int], to_right: Sequence[bool]) -> str:
    padded = []
    for cell, width, is_right in zip(cells, widths, to_right, strict=True):
        space = " " * (width - columns_wide(cell))
        padded.append(space + cell if is_right else cell + space)
    return GAP.join(padded).rstrip()
