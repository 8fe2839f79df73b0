"""What databases, Python and pandas call a column type, so that an error can name our word."""

from __future__ import annotations

import re
from collections.abc import Collection
from difflib import get_close_matches

OTHER_NAMES = {
    **dict.fromkeys(("int", "integer", "bigint", "int8", "long", "number"), "int64"),
    **dict.fromkeys(("int4", "uint16"), "int32"),
    **dict.fromkeys(("smallint", "int2", "short", "tinyint", "uint8"), "int16"),
    **dict.fromkeys(("float", "double", "double precision", "float8"), "float64"),
    **dict.fromkeys(("real", "float4"), "float32"),
    **dict.fromkeys(("str", "string", "varchar", "char", "object", "category"), "text"),
    **dict.fromkeys(("decimal", "numeric", "money"), "decimal(18,2)"),
    **dict.fromkeys(("datetime", "datetime64", "timestamp without time zone"), "timestamp"),
    **dict.fromkeys(("timestamp with time zone", "instant"), "timestamptz"),
    **dict.fromkeys(("bytea", "binary", "blob"), "bytes"),
    **dict.fromkeys(("timedelta", "duration"), "interval"),
    "boolean": "bool",
}
_SIZED_DECIMAL = re.compile(r"(?:numeric|number|decimal)\s*\(\s*(\d+)\s*(?:,\s*(\d+)\s*)?\)\Z")
_SIZE = re.compile(r"\s*\(\s*\d+\s*\)\Z")


def nearest_type(text: str, ours: Collection[str]) -> str | None:
    """Return the one of our words that a type of another system means, or that was misspelled."""
    text = text.lower()
    if match := _SIZED_DECIMAL.match(text):
        return f"decimal({match[1]},{match[2] or 0})"
    known = _SIZE.sub("", text)  # as in varchar(20)
    if known in OTHER_NAMES:
        return OTHER_NAMES[known]
    near = get_close_matches(text, ours, n=1)
    return near[0] if near else None
