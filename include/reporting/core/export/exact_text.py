"""Values as text that loses nothing.

| kind        | text                                                                          |
|-------------|-------------------------------------------------------------------------------|
| integer     | all digits                                                                    |
| decimal     | plain notation with the declared number of digits after the point             |
| float       | shortest text that reads back as the same; `NaN`, `Infinity`, `-Infinity`     |
| bool        | `true`, `false`                                                               |
| date        | `2024-02-29`                                                                  |
| timestamp   | `2024-02-29T12:00:00`, with a fraction only when there is one                 |
| timestamptz | local time of the report zone with its offset, `2013-11-03T01:00:00-05:00`    |

Not-a-number and the infinities are spelled as PostgreSQL spells them, and are never turned into
NULL: a gap and a failed division are different news.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from reporting.core.export.kinds import Kind

if TYPE_CHECKING:
    from datetime import date, datetime
    from decimal import Decimal
    from zoneinfo import ZoneInfo

AsText = Callable[[Any], str]


def as_text(kind: Kind, zone: ZoneInfo) -> AsText:
    """Return the function that writes one value (never None) of that kind."""
    if kind is Kind.TIMESTAMPTZ:
        return lambda value: value.astimezone(zone).isoformat()
    return _AS_TEXT[kind]


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


def _iso_text(value: date | datetime) -> str:
    return value.isoformat()


_AS_TEXT: dict[Kind, AsText] = {
    Kind.TEXT: str,
    Kind.BOOL: _bool_text,
    Kind.INTEGER: str,
    Kind.FLOAT: float_text,
    Kind.DECIMAL: decimal_text,
    Kind.DATE: _iso_text,
    Kind.TIMESTAMP: _iso_text,
}
