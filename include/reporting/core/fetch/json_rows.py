"""JSON rows as a record batch of the declared types; the declared type decides, never the data.

A number is never made of a text, except for a decimal, which many services send as text; nothing
is rounded but what a declared `float64` cannot hold.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from reporting.core.arrow import arrow_schema
from reporting.errors import ContractError

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)

if TYPE_CHECKING:
    import pyarrow as pa

    from reporting.definition.columns import Column


def json_batch(
    rows: Sequence[Mapping[str, Any]], columns: tuple[Column, ...], where: str, first_row: int
) -> pa.RecordBatch:
    """Return the rows as a batch; an absent field is NULL, a field not declared is left out.

    Args:
        rows: decoded with `parse_float=Decimal`, so that no digit is lost.
        columns: declared columns.
        where: source, for the message.
        first_row: rows before these, for the message.

    Raises:
        ContractError: a value is not of its declared type; names source, row, column and value.
    """
    import pyarrow as pa

    arrays = []
    schema = arrow_schema(columns)
    for column, field in zip(columns, schema, strict=True):
        values = [_value(row, column, where, first_row + n) for n, row in enumerate(rows, 1)]
        try:
            arrays.append(pa.array(values, field.type))
        except (pa.ArrowInvalid, OverflowError, UnicodeEncodeError) as error:
            raise ContractError(
                f"{where}, column {column.name!r}, rows from {first_row + 1}: {error}; "
                f"allowed: {column.type}."
            ) from None
    return pa.record_batch(arrays, schema=schema)


def _value(row: Mapping[str, Any], column: Column, where: str, number: int) -> Any:
    value = row.get(column.name)
    if value is None:
        return None
    try:
        return _READERS[column.kind](value)
    except (ValueError, TypeError, ArithmeticError):
        raise ContractError(
            f"{where}, row {number}, column {column.name!r}: {str(value)[:80]!r}; "
            f"allowed: {column.type}."
        ) from None


def _integer(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError
    return value


def _float(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise TypeError
    number = float(value)
    if math.isinf(number):
        raise OverflowError
    return number


def _decimal(value: Any) -> Decimal:
    if isinstance(value, bool) or not isinstance(value, int | Decimal | str):
        raise TypeError
    if isinstance(value, str) and not _NUMBER.fullmatch(value):
        raise ValueError
    return Decimal(value)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _bool(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError
    return value


def _instant(value: Any) -> datetime:
    moment = datetime.fromisoformat(_text(value))
    if moment.tzinfo is None:
        raise ValueError
    return moment.astimezone(UTC)


def _wall_clock(value: Any) -> datetime:
    moment = datetime.fromisoformat(_text(value))
    if moment.tzinfo is not None:
        raise ValueError
    return moment


def _date(value: Any) -> date:
    return date.fromisoformat(_text(value))


_READERS = {
    "int64": _integer,
    "int32": _integer,
    "float64": _float,
    "decimal": _decimal,
    "text": _text,
    "bool": _bool,
    "date": _date,
    "timestamp": _wall_clock,
    "timestamptz": _instant,
}
