"""Columns that have a type already, as columns of their declared type.

Nothing is rounded, cut or guessed. What may become what:

| declared                | from                                                           |
|-------------------------|----------------------------------------------------------------|
| `int64` `int32` `int16` | whole numbers, also as floats or decimals without a fraction   |
| `float64` `float32`     | floats and whole numbers that it holds exactly                 |
| `decimal(p,s)`          | decimals of no more digits, whole numbers; never floats        |
| `text`                  | text without NUL                                               |
| `bool`                  | truth values only                                              |
| `date`                  | dates, and times without zone at midnight                      |
| `time`                  | times of day, in whole microseconds                            |
| `timestamp`             | times without zone, in whole microseconds                      |
| `timestamptz`           | times with a zone, in whole microseconds                       |
| `interval`              | ISO 8601 text as PostgreSQL writes it, durations               |
| `bytes`                 | bytes                                                          |
| `uuid`                  | text of 32 hexadecimal digits in five groups                   |
| `json` `jsonb`          | text that is a JSON document                                   |
| `…[]`                   | lists of what may become their elements                        |

A column without any value may become each of them.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from reporting.core.arrow import arrow_type
from reporting.core.decimals import rescaled
from reporting.core.sound import check_range, check_texts, lower_uuid
from reporting.core.text_columns import relisted

if TYPE_CHECKING:
    import pyarrow as pa

    from reporting.definition.columns import Column

TEXT_KINDS = ("text", "uuid", "json", "jsonb", "interval")
MOMENTS = ("date", "timestamp", "timestamptz")


def from_typed(array: pa.Array, column: Column) -> pa.Array:
    """Return the array in the declared type; a cast Arrow calls safe may still lose something.

    Raises:
        ValueError: a value would change (`pyarrow.ArrowInvalid` is one).
        TypeError: values of this type never become the declared one.
    """
    import pyarrow as pa

    wanted = arrow_type(column)
    if array.null_count == len(array):  # no value has a type; pandas then calls it float
        return pa.nulls(len(array), wanted)
    if column.is_list:
        return _lists(array, column)
    if not _may_become(array.type, column.kind):
        raise TypeError(f"{array.type} never becomes {column.kind}")
    if column.kind == "interval" and pa.types.is_duration(array.type):
        array = _iso_intervals(array)
    made = _cast(array, column, wanted)
    if column.kind in TEXT_KINDS:
        made = lower_uuid(made) if column.kind == "uuid" else made
        check_texts(made, column)
    elif column.kind in MOMENTS:
        check_range(made)
    return made


def _cast(array: pa.Array, column: Column, wanted: pa.DataType) -> pa.Array:
    import pyarrow.compute as pc

    if array.type == wanted:
        return array
    if column.kind == "decimal":
        return rescaled(array, column)
    made = array.cast(wanted, safe=True)
    if column.kind == "date" and pc.any(pc.not_equal(made.cast(array.type), array)).as_py():
        raise ValueError("a time of day would be lost")
    if column.kind == "float32" and _differ(made.cast(array.type), array):
        raise ValueError("digits would be lost")
    return made


def _differ(made: pa.Array, given: pa.Array) -> bool:
    import pyarrow.compute as pc

    is_nan = pc.is_nan(given) if given.type in ("double", "float", "halffloat") else False
    return bool(pc.any(pc.and_not(pc.not_equal(made, given), is_nan)).as_py())


def _may_become(given: pa.DataType, kind: str) -> bool:
    from pyarrow import types

    is_float = types.is_floating(given)
    is_number = types.is_integer(given) or is_float
    if kind in ("int64", "int32", "int16"):
        return bool(is_number or types.is_decimal(given))
    fits = {
        "float64": is_number,
        "float32": is_number,
        "decimal": types.is_decimal(given) or types.is_integer(given),
        "bool": types.is_boolean(given),
        "date": types.is_date(given) or (types.is_timestamp(given) and given.tz is None),
        "time": types.is_time(given),
        "timestamp": types.is_timestamp(given) and given.tz is None,
        "timestamptz": types.is_timestamp(given) and given.tz is not None,
        "interval": _is_text(given) or types.is_duration(given),
        "bytes": _is_bytes(given),
    }
    return bool(fits.get(kind, _is_text(given)))


def _is_text(given: pa.DataType) -> bool:
    from pyarrow import types

    kind = given.value_type if types.is_dictionary(given) else given
    return any(
        is_kind(kind) for is_kind in (types.is_string, types.is_large_string, types.is_string_view)
    )


def _is_bytes(given: pa.DataType) -> bool:
    from pyarrow import types

    return bool(
        types.is_binary(given)
        or types.is_large_binary(given)
        or types.is_fixed_size_binary(given)
        or types.is_binary_view(given)
    )


def _iso_intervals(array: pa.Array) -> pa.Array:
    import pyarrow as pa

    spans = array.cast(pa.duration("us")).to_pylist()
    return pa.array([None if span is None else _iso_interval(span) for span in spans], pa.string())


def _iso_interval(span: timedelta) -> str:
    """Write a duration as PostgreSQL writes an interval of seconds: `PT36H1M-0.5S`."""
    micros = span // timedelta(microseconds=1)
    sign, size = ("-" if micros < 0 else ""), abs(micros)
    hours, rest = divmod(size, 3_600_000_000)
    minutes, rest = divmod(rest, 60_000_000)
    seconds = f"{rest // 1_000_000}.{rest % 1_000_000:06d}".rstrip("0").rstrip(".")
    parts = ((str(hours), "H"), (str(minutes), "M"), (seconds, "S"))
    written = "".join(f"{sign}{number}{unit}" for number, unit in parts if number != "0")
    return f"PT{written or '0S'}"


def _lists(array: pa.Array, column: Column) -> Any:
    from pyarrow import types

    if not (types.is_list(array.type) or types.is_large_list(array.type)):
        raise TypeError(f"{array.type} never becomes a list")
    return relisted(array.value_lengths().to_pylist(), from_typed(array.flatten(), column.element))
