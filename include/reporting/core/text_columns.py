r"""Columns of text as columns of their declared type: nothing is rounded, one thing is cut.

| declared                | text                                                                |
|-------------------------|---------------------------------------------------------------------|
| `int64` `int32` `int16` | digits, with `-` before them or not                                 |
| `float64` `float32`     | the nearest number; `NaN`, `Infinity`, `-Infinity`, `inf`, `nan`    |
| `decimal(p,s)`          | digits, with exponent or not; refused when digits would be lost     |
| `text`                  | as it is; NUL is refused                                            |
| `bool`                  | `t`, `true`, `f`, `false`                                           |
| `date`                  | `2024-02-29`                                                        |
| `time`                  | `23:59:59.999999`; digits after the sixth are cut                   |
| `timestamp`             | `2024-02-29 12:00:00.5`, also with `T`; cut as a time               |
| `timestamptz`           | the same with an offset, which is refused when it is missing        |
| `interval`              | ISO 8601 as PostgreSQL writes it: `P1Y2M-3DT4H5M6.5S`               |
| `bytes`                 | hexadecimal after `\x`                                              |
| `uuid`                  | 32 hexadecimal digits in five groups; capitals become small         |
| `json` `jsonb`          | a JSON document; `jsonb` refuses `\u0000`                           |
| `…[]`                   | a list as PostgreSQL writes it, of one dimension: `{1,NULL}`        |
"""

from __future__ import annotations

from binascii import unhexlify
from dataclasses import replace
from typing import TYPE_CHECKING

from reporting.core.array_text import read_list
from reporting.core.arrow import arrow_type
from reporting.core.decimals import decimals_from
from reporting.core.sound import check_range, check_texts, lower_uuid

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import pyarrow as pa

    from reporting.definition.columns import Column

FINER_THAN_MICROSECONDS = r"(\.\d{6})\d+"


def from_text(texts: pa.Array, column: Column) -> pa.Array:
    """Return the texts as the column's type; NULL stays NULL.

    Args:
        texts: of Arrow type string.
        column: what is declared.

    Raises:
        ValueError: a text is none of that type (`pyarrow.ArrowInvalid` is one).
    """
    if column.is_list:
        return _lists(texts, column)
    return _READERS[column.kind](texts, column)


def _cast(texts: pa.Array, column: Column) -> pa.Array:
    return texts.cast(arrow_type(column))


def _integers(texts: pa.Array, column: Column) -> pa.Array:
    import pyarrow.compute as pc

    numbers = _cast(texts, column)
    if any(pc.any(pc.match_substring(texts, letter)).as_py() for letter in "xX"):
        raise ValueError("a hexadecimal number")  # Arrow would read it
    return numbers


def _floats(texts: pa.Array, column: Column) -> pa.Array:
    import pyarrow.compute as pc

    numbers = _cast(texts, column)
    infinite = texts.filter(pc.is_inf(numbers))
    if (
        len(infinite)
        and not pc.all(pc.match_substring(infinite, "i", ignore_case=True), min_count=0).as_py()
    ):
        raise ValueError(f"a number larger than {column.kind} holds")
    return numbers


def _texts(texts: pa.Array, column: Column) -> pa.Array:
    check_texts(texts, column)
    return texts


def _uuids(texts: pa.Array, column: Column) -> pa.Array:
    small = lower_uuid(texts)
    check_texts(small, column)
    return small


def _truths(texts: pa.Array, _column: Column) -> pa.Array:
    import pyarrow as pa
    import pyarrow.compute as pc

    is_true = pc.is_in(texts, pa.array(["t", "true"]))
    is_false = pc.is_in(texts, pa.array(["f", "false"]))
    if not pc.all(pc.or_(pc.or_(is_true, is_false), texts.is_null()), min_count=0).as_py():
        raise ValueError("neither t, true, f nor false")
    return pc.if_else(texts.is_valid(), is_true, pa.scalar(None, pa.bool_()))


def _days(texts: pa.Array, column: Column) -> pa.Array:
    days = _cast(texts, column)
    check_range(days)
    return days


def _moments(texts: pa.Array, column: Column) -> pa.Array:
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        moments = _cast(texts, column)
    except pa.ArrowInvalid:
        cut = pc.replace_substring_regex(texts, FINER_THAN_MICROSECONDS, r"\1")
        moments = _cast(cut, column)
    check_range(moments)
    return moments


def _times(texts: pa.Array, column: Column) -> pa.Array:
    import pyarrow as pa
    import pyarrow.compute as pc

    # Arrow reads no time of day, but it does read a moment.
    moments = pc.binary_join_element_wise("1970-01-01", texts, " ")
    wall = _moments(moments, replace(column, kind="timestamp"))
    return wall.cast(pa.int64()).cast(arrow_type(column))


def _bytes(texts: pa.Array, _column: Column) -> pa.Array:
    import pyarrow as pa
    import pyarrow.compute as pc

    is_hexadecimal = pc.match_substring_regex(texts, r"\A\\x([0-9A-Fa-f]{2})*\z")
    if not pc.all(is_hexadecimal, min_count=0).as_py():
        raise ValueError(r"no hexadecimal digits after \x")
    digits = pc.fill_null(pc.utf8_slice_codeunits(texts, 2), "")
    sizes = pc.divide(pc.binary_length(digits), 2)
    whole = unhexlify("".join(digits.to_pylist()))
    ends = pc.cumulative_sum(sizes).cast(pa.int32())
    offsets = pa.concat_arrays([pa.array([0], pa.int32()), ends])
    made = pa.Array.from_buffers(
        pa.binary(), len(texts), [None, offsets.buffers()[1], pa.py_buffer(whole)]
    )
    return pc.if_else(texts.is_valid(), made, pa.scalar(None, pa.binary()))


def _lists(texts: pa.Array, column: Column) -> pa.Array:
    import pyarrow as pa

    lists = [None if text is None else read_list(text) for text in texts.to_pylist()]
    elements = pa.array([element for found in lists if found for element in found], pa.string())
    lengths = [None if found is None else len(found) for found in lists]
    return relisted(lengths, from_text(elements, column.element))


def relisted(lengths: Sequence[int | None], elements: pa.Array) -> pa.Array:
    """Return `elements`, one after the other, in lists of these lengths; NULL where None is."""
    import pyarrow as pa

    offsets: list[int | None] = []
    place = 0
    for length in lengths:
        offsets.append(None if length is None else place)
        place += length or 0
    return pa.ListArray.from_arrays(pa.array([*offsets, place], pa.int32()), elements)


_READERS: dict[str, Callable[[pa.Array, Column], pa.Array]] = {
    "int64": _integers,
    "int32": _integers,
    "int16": _integers,
    "float64": _floats,
    "float32": _floats,
    "decimal": decimals_from,
    "text": _texts,
    "bool": _truths,
    "date": _days,
    "time": _times,
    "timestamp": _moments,
    "timestamptz": _moments,
    "interval": _texts,
    "bytes": _bytes,
    "uuid": _uuids,
    "json": _texts,
    "jsonb": _texts,
}
