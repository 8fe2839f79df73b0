"""The kinds of column an export can write, told from Arrow types.

They are those that the declared types of `reporting.definition.columns` have; anything else is
refused, because a guess at how to write it would be a silent change of the figures.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from reporting.errors import TerminalError, choices

if TYPE_CHECKING:
    import pyarrow as pa


class Kind(StrEnum):
    """How the values of a column are written."""

    TEXT = "text"
    BOOL = "bool"
    INTEGER = "int64"
    FLOAT = "float64"
    DECIMAL = "decimal(p,s)"
    DATE = "date"
    TIME = "time"
    TIMESTAMP = "timestamp"
    TIMESTAMPTZ = "timestamptz"
    BYTES = "bytes"
    LIST = "a list of one of them"


def kinds_of(schema: pa.Schema) -> list[Kind]:
    """Return the kind of each column, in order.

    Raises:
        TerminalError: there is no column, or one has a type that no file can be made of.
    """
    if not schema.names:
        raise TerminalError("Export: the table has no columns; allowed: at least one.")
    return [_kind(field) for field in schema]


def _kind(field: pa.Field) -> Kind:
    if (kind := kind_of(field.type)) is not None:
        return kind
    raise TerminalError(
        f"Export: column {field.name!r} has Arrow type {field.type}; {choices(tuple(Kind), '')}"
    )


def kind_of(given: pa.DataType) -> Kind | None:
    """Return the kind of an Arrow type, or None when no file can be made of it."""
    import pyarrow.types as is_a

    if is_a.is_timestamp(given) and given.unit != "ns":
        return Kind.TIMESTAMPTZ if given.tz else Kind.TIMESTAMP
    if is_a.is_list(given):
        return None if kind_of(given.value_type) in (None, Kind.LIST) else Kind.LIST
    tests = {
        Kind.TEXT: lambda t: is_a.is_string(t) or is_a.is_large_string(t),
        Kind.BOOL: is_a.is_boolean,
        Kind.INTEGER: is_a.is_integer,
        Kind.FLOAT: lambda t: is_a.is_float64(t) or is_a.is_float32(t),
        Kind.DECIMAL: is_a.is_decimal128,
        Kind.DATE: is_a.is_date32,
        Kind.TIME: lambda t: is_a.is_time64(t) and t.unit == "us",
        Kind.BYTES: is_a.is_binary,
    }
    return next((kind for kind, matches in tests.items() if matches(given)), None)
