"""Column widths: wide enough that no number shows as ####, and no text fills the screen."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from reporting.core.export.exact_text import decimal_text
from reporting.core.export.kinds import Kind

if TYPE_CHECKING:
    from decimal import Decimal

    import pyarrow as pa

NARROWEST = 8
WIDEST_TEXT = 60
_SAMPLE_ROWS = 200
_FILTER_BUTTON = 3
_FIXED = {
    Kind.BOOL: 8,
    Kind.FLOAT: 14,
    Kind.DATE: 11,
    Kind.TIME: 15,
    Kind.TIMESTAMP: 24,
    Kind.TIMESTAMPTZ: 24,
    Kind.BYTES: 30,
    Kind.LIST: 30,
}


def column_width(heading: str, column: pa.ChunkedArray, kind: Kind) -> int:
    """Return the width in characters, room for the filter button included."""
    needed = max(shown_width(heading) + _FILTER_BUTTON, _content_width(column, kind) + 1)
    return max(NARROWEST, min(needed, WIDEST_TEXT))


def shown_width(text: str) -> int:
    """Return how many columns of Latin letters the first line of a text takes."""
    line = text.split("\n", 1)[0][: WIDEST_TEXT + 1]
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in line)


def _content_width(column: pa.ChunkedArray, kind: Kind) -> int:
    if kind in _FIXED:
        return _FIXED[kind]
    if kind is Kind.TEXT:
        # A text too wide is merely cut on screen, so a sample will do.
        return max(map(shown_width, _present(column.slice(0, _SAMPLE_ROWS))), default=0)
    return max(map(_digits, _ends(column)), default=0)


def _ends(column: pa.ChunkedArray) -> list[int | Decimal]:
    import pyarrow.compute as pc

    ends = pc.min_max(column).as_py()
    return [value for value in ends.values() if value is not None]


def _digits(value: int | Decimal) -> int:
    return len(str(value) if isinstance(value, int) else decimal_text(value))


def _present(column: pa.ChunkedArray) -> list[str]:
    return [value for value in column.to_pylist() if value is not None]
