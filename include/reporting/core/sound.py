"""What values of a type must keep besides Arrow's own rules."""

from __future__ import annotations

import json
import re
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

    from reporting.definition.columns import Column

_PART = r"-?\d+"
INTERVAL = (
    rf"\AP({_PART}Y)?({_PART}M)?({_PART}D)?"
    rf"(T({_PART}H)?({_PART}M)?({_PART}(\.\d{{1,6}})?S)?)?\z"
)
MAY_BE_TOO_LONG = r"\d{9}"  # only then an interval may be more than PostgreSQL holds
UUID = r"\A[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\z"
_ESCAPED_NUL = re.compile(r"(?<!\\)(\\\\)*\\u0000")
_ESCAPED_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_SPAN_PART = re.compile(r"(-?\d+(?:\.\d+)?)([YMDHS])")
_FIRST_DAY, _LAST_DAY = date.min, date.max
_EPOCH = date(1970, 1, 1).toordinal()
_DAY_MICROSECONDS = 86_400_000_000


def check_texts(texts: pa.Array, column: Column) -> None:
    """Check the texts of a column whose values are text in Arrow.

    Raises:
        ValueError: a text is not what the column's kind asks for.
    """
    import pyarrow.compute as pc

    if pc.any(pc.match_substring(texts, "\0")).as_py():
        raise ValueError("text with a NUL character")
    if column.kind == "interval":
        # At least one part, and one after a T.
        _check_match(texts, INTERVAL, "no ISO 8601 interval such as P1M2DT3.5S")
        _check_match(texts, r"\d[YMDHS]\z", "an ISO 8601 interval without its last part")
        for text in texts.filter(pc.match_substring_regex(texts, MAY_BE_TOO_LONG)).to_pylist():
            _check_span(text)
    elif column.kind == "uuid":
        _check_match(texts, UUID, "no UUID such as 00000000-0000-0000-0000-000000000000")
    elif column.kind in ("json", "jsonb"):
        for text in texts.to_pylist():
            _check_json(text, column.kind)


def lower_uuid(texts: pa.Array) -> pa.Array:
    """Return UUIDs with small letters, as PostgreSQL writes them."""
    import pyarrow.compute as pc

    return pc.ascii_lower(texts)


def check_range(moments: pa.Array) -> None:
    """Check that days or moments lie in the years 1 to 9999, which every program knows.

    Raises:
        ValueError: one does not.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    is_day = pa.types.is_date32(moments.type)
    ends = pc.min_max(moments.view(pa.int32() if is_day else pa.int64())).as_py()
    unit = 1 if is_day else _DAY_MICROSECONDS
    for end in ends.values():
        if end is not None and not _FIRST_DAY.toordinal() <= _EPOCH + end // unit <= (
            _LAST_DAY.toordinal()
        ):
            raise ValueError("a time outside the years 1 to 9999")


def _check_match(texts: pa.Array, pattern: str, otherwise: str) -> None:
    import pyarrow.compute as pc

    if not pc.all(pc.match_substring_regex(texts, pattern), min_count=0).as_py():
        raise ValueError(otherwise)


def _check_span(text: str) -> None:
    days, _, clock = text.partition("T")
    dated = {unit: Decimal(number) for number, unit in _SPAN_PART.findall(days)}
    timed = {unit: Decimal(number) for number, unit in _SPAN_PART.findall(clock)}
    months = 12 * dated.get("Y", 0) + dated.get("M", 0)
    seconds = 3600 * timed.get("H", 0) + 60 * timed.get("M", 0) + timed.get("S", 0)
    for size, bits in ((months, 32), (dated.get("D", 0), 32), (seconds * 1_000_000, 64)):
        if not -(2 ** (bits - 1)) <= size < 2 ** (bits - 1):
            raise ValueError("an interval longer than PostgreSQL holds")


def _check_json(text: str | None, kind: str) -> None:
    if text is None:
        return
    try:
        json.loads(text, parse_constant=_no_constant, parse_float=str, parse_int=str)
    except (ValueError, RecursionError):
        raise ValueError("no JSON document") from None
    if kind == "jsonb" and _ESCAPED_NUL.search(text):
        raise ValueError(r"a JSON document with \u0000, which jsonb cannot hold")
    if kind == "jsonb" and _ESCAPED_SURROGATE.search(text):
        pairs = json.loads(text, parse_int=str, object_pairs_hook=list)
        if _SURROGATE.search(json.dumps(pairs, ensure_ascii=False)):
            raise ValueError(r"a JSON document with half a character, such as \ud800")


def _no_constant(name: str) -> Any:
    raise ValueError(name)
