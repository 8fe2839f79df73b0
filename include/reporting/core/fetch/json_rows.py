"""JSON rows as tables of the declared types; the declared type decides, never the data.

A value is first written as text, if it is of the JSON type that its declared type asks for, and
is then read as every other text.

| declared                                   | JSON                                               |
|--------------------------------------------|----------------------------------------------------|
| `int64` `int32` `int16`                    | a number without fraction, of any size             |
| `float64` `float32`                        | a number                                           |
| `decimal(p,s)`                             | a number, or a text that is one                    |
| `bool`                                     | true, false                                        |
| `json` `jsonb`                             | anything; numbers keep all digits                  |
| `bytes`                                    | a text in base64                                   |
| `…[]`                                      | a list of such values                              |
| `text`, `uuid`, `interval`, dates, times   | a text                                             |

null, and a field that is not there, are NULL. A field that is not declared is left out.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from reporting.core.array_text import list_text
from reporting.core.decimals import read
from reporting.core.fit import LONGEST_VALUE, Refused, fit
from reporting.core.text_columns import from_text
from reporting.exact_json import json_text

if TYPE_CHECKING:
    import pyarrow as pa

    from reporting.definition.columns import Column

Row = Mapping[str, Any]


def fit_json(
    rows: Sequence[Row], columns: tuple[Column, ...], first_row: int
) -> tuple[pa.Table, list[Refused]]:
    """Return the rows that fit as a table of the declared schema, and the others.

    Args:
        rows: decoded with `parse_float=Decimal`, so that no digit is lost.
        columns: declared columns.
        first_row: rows before these.
    """
    import pyarrow as pa

    texts: list[list[str | None]] = []
    numbers: list[int] = []
    refused: list[Refused] = []
    for number, row in enumerate(rows, first_row + 1):
        read = _texts(row, columns, number)
        if isinstance(read, Refused):
            refused.append(read)
        else:
            texts.append(read)
            numbers.append(number)
    made = {c.name: pa.array([row[n] for row in texts], pa.string()) for n, c in enumerate(columns)}
    table, unfit = fit(pa.table(made), columns, from_text)
    refused += [_of_row(rows, numbers[each.row - 1], first_row, each) for each in unfit]
    return table, sorted(refused, key=lambda each: each.row)


def _texts(row: Row, columns: tuple[Column, ...], number: int) -> list[str | None] | Refused:
    """Return the row's values as text, or why one is not of the JSON type it must be."""
    texts = []
    for column in columns:
        value = row.get(column.name)
        try:
            text = None if value is None else _text_of(value, column)
            if text is not None:
                text.encode()  # a lone surrogate has no UTF-8 form
        except (ValueError, TypeError, RecursionError):
            return _refused(row, number, column.name, f"{_shown(value)}; allowed: {column.type}.")
        texts.append(text)
    return texts


def _of_row(rows: Sequence[Row], number: int, first_row: int, unfit: Refused) -> Refused:
    return _refused(rows[number - first_row - 1], number, unfit.column, unfit.reason)


def _refused(row: Row, number: int, column: str, reason: str) -> Refused:
    values = {name: _kept(value) for name, value in row.items()}
    return Refused(number, column, reason, values)


def _kept(value: Any) -> str | None:
    """Return a value as plain text, as every other source gives it."""
    return value if value is None or isinstance(value, str) else _anyhow(value)


def _shown(value: Any) -> str:
    # A lone surrogate goes into no log and no database.
    text = _anyhow(value).encode(errors="backslashreplace").decode()
    return text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}…"


def _anyhow(value: Any) -> str:
    try:
        return json_text(value)
    except RecursionError:
        return "…"  # lists in lists in lists, hundreds deep


def _text_of(value: Any, column: Column) -> str:
    if column.is_list:
        elements = _of(list)(value)
        return list_text([None if e is None else _text_of(e, column.element) for e in elements])
    return _WRITERS.get(column.kind, _text)(value)


def _of(kind: type) -> Callable[[Any], Any]:
    def checked(value: Any) -> Any:
        if not isinstance(value, kind):
            raise TypeError
        return value

    return checked


def _text(value: Any) -> str:
    return str(_of(str)(value))


def _whole(value: Any) -> str:
    if isinstance(value, bool):
        raise TypeError
    return str(_of(int)(value))


def _number(value: Any) -> str:
    return str(value) if isinstance(value, Decimal) else _whole(value)


def _decimal(value: Any) -> str:
    return str(read(value)) if isinstance(value, str) else _number(value)


def _truth(value: Any) -> str:
    return "t" if _of(bool)(value) else "f"


def _bytes(value: Any) -> str:
    return rf"\x{b64decode(_of(str)(value), validate=True).hex()}"


_WRITERS: dict[str, Callable[[Any], str]] = {
    **dict.fromkeys(("int64", "int32", "int16"), _whole),
    **dict.fromkeys(("float64", "float32"), _number),
    **dict.fromkeys(("json", "jsonb"), json_text),
    "decimal": _decimal,
    "bool": _truth,
    "bytes": _bytes,
}
