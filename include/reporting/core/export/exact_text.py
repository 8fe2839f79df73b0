r"""Values as text that loses nothing.

| kind        | text                                                                          |
|-------------|-------------------------------------------------------------------------------|
| integer     | all digits                                                                    |
| decimal     | plain notation with the declared number of digits after the point             |
| float       | shortest text that reads back as the same; `NaN`, `Infinity`, `-Infinity`     |
| bool        | `true`, `false`                                                               |
| date        | `2024-02-29`                                                                  |
| time        | `12:00:00`, with a fraction only when there is one                            |
| timestamp   | `2024-02-29T12:00:00`, with a fraction only when there is one                 |
| timestamptz | local time of the report zone with its offset, `2013-11-03T01:00:00-05:00`    |
| bytes       | hexadecimal after `\x`: `\x00ff`                                              |
| list        | as PostgreSQL reads it, each element as above in quotes: `{"1",NULL,"a \"b\""}` |
| all other   | the text itself: UUIDs, intervals, JSON                                       |

Not-a-number and the infinities are spelled as PostgreSQL spells them, and are never turned into
NULL: a gap and a failed division are different news.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from reporting.core.array_text import list_text
from reporting.core.export.kinds import Kind, kind_of

if TYPE_CHECKING:
    from datetime import date, datetime, time
    from decimal import Decimal
    from zoneinfo import ZoneInfo

    import pyarrow as pa

AsText = Callable[[Any], str]


def as_text(column_type: pa.DataType, zone: ZoneInfo) -> AsText:
    """Return the function that writes one value (never None) of a column."""
    kind = kind_of(column_type)
    if kind is Kind.LIST:
        return _list_of(as_text(column_type.value_type, zone))
    if kind is Kind.TIMESTAMPTZ:
        return lambda value: value.astimezone(zone).isoformat()
    return _AS_TEXT.get(kind, str)


def float_text(value: float) -> str:
    """Write a float so that it reads back as the same float."""
    if math.isfinite(value):
        return repr(value)
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def decimal_text(value: Decimal) -> str:
    """Write a decimal in plain notation with all digits of its scale."""
    return format(value, "f")


def _bool_text(value: bool) -> str:
    return "true" if value else "false"


def _iso_text(value: date | datetime | time) -> str:
    return value.isoformat()


def _bytes_text(value: bytes) -> str:
    return rf"\x{value.hex()}"


def _list_of(element: AsText) -> AsText:
    return lambda values: list_text([None if v is None else element(v) for v in values])


_AS_TEXT: dict[Kind | None, AsText] = {
    Kind.BOOL: _bool_text,
    Kind.FLOAT: float_text,
    Kind.DECIMAL: decimal_text,
    Kind.DATE: _iso_text,
    Kind.TIME: _iso_text,
    Kind.TIMESTAMP: _iso_text,
    Kind.BYTES: _bytes_text,
}
