"""Makes a batch fit the declared columns, and sorts out the rows that do not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reporting.core.arrow import arrow_schema, arrow_type, check_names
from reporting.core.typed_columns import from_typed
from reporting.errors import ContractError

if TYPE_CHECKING:
    import pyarrow as pa

    from reporting.definition.columns import Column

Convert = Callable[["pa.Array", "Column"], "pa.Array"]
FAULTS = (ValueError, TypeError, ArithmeticError, NotImplementedError)  # Arrow's are among them
LONGEST_VALUE = 80
SAYS_NOTHING = ("Failed to parse", "The string")


@dataclass(frozen=True)
class Refused:
    """A row that does not fit.

    Attributes:
        row: its number in the source, from 1.
        column: the first column that does not fit.
        reason: what was got, and what is allowed.
        values: the whole row as text, NULL as None.
    """

    row: int
    column: str
    reason: str
    values: Mapping[str, str | None]

    def error(self, where: str) -> ContractError:
        """Return the error that this row is, where no row may be refused."""
        return ContractError(f"{where}, row {self.row}, column {self.column!r}: {self.reason}")


def fit(
    data: pa.Table, columns: tuple[Column, ...], convert: Convert, first_row: int = 0
) -> tuple[pa.Table, list[Refused]]:
    """Return the rows that fit as a table of the declared schema, and the others.

    Args:
        data: one column for each declared one, in any order.
        columns: what is declared.
        convert: makes a column of the declared type, or raises one of `FAULTS`.
        first_row: rows before these.
    """
    import pyarrow as pa

    arrays = []
    faults: dict[int, tuple[Column, str]] = {}
    for column in columns:
        made, bad = _fitted(data.column(column.name), column, convert)
        arrays.append(made)
        for row, reason in bad.items():
            faults.setdefault(row, (column, reason))
    if not faults:
        return pa.table(arrays, schema=arrow_schema(columns)), []
    refused = [_refused(data, row, faults[row], first_row) for row in sorted(faults)]
    is_good = pa.array([row not in faults for row in range(len(data))], pa.bool_())
    return fit(data.filter(is_good), columns, convert, first_row)[0], refused


def conform(data: pa.Table, columns: tuple[Column, ...], where: str) -> pa.Table:
    """Return typed `data` as a table of exactly the declared columns and types.

    Raises:
        ContractError: a column is missing or unknown, or a value does not fit.
    """
    check_names(where, data.schema.names, [column.name for column in columns])
    table, refused = fit(data, columns, from_typed)
    if refused:
        raise refused[0].error(where)
    return table


def _fitted(
    given: pa.ChunkedArray, column: Column, convert: Convert
) -> tuple[pa.ChunkedArray, dict[int, str]]:
    """Return what converts, and why which rows (from 0) do not."""
    import pyarrow as pa

    made, start = [], 0
    faults: dict[int, str] = {}
    for chunk in given.chunks:
        try:
            made.append(convert(chunk, column))
        except FAULTS:
            faults |= _bad_rows(chunk, column, convert, start)
        else:
            faults |= _nulls(made[-1], column, start)
        start += len(chunk)
    return pa.chunked_array(made, arrow_type(column)), faults


def _nulls(made: pa.Array, column: Column, start: int) -> dict[int, str]:
    if column.nullable or not made.null_count:
        return {}
    places = enumerate(made.is_null().to_pylist(), start)
    return {row: f"NULL; allowed: {column.type}." for row, is_null in places if is_null}


def _bad_rows(given: pa.Array, column: Column, convert: Convert, start: int) -> dict[int, str]:
    """Halve what does not convert until single values are left, and say what each one is."""
    try:
        made = convert(given, column)
    except FAULTS as error:
        if len(given) == 1:
            return {start: _reason(given, column, error)}
        half = len(given) // 2
        return _bad_rows(given[:half], column, convert, start) | _bad_rows(
            given[half:], column, convert, start + half
        )
    return _nulls(made, column, start)


def _reason(given: pa.Array, column: Column, error: Exception) -> str:
    got = repr(given[0].as_py())
    shown = got if len(got) <= LONGEST_VALUE else f"{got[:LONGEST_VALUE]}…"
    why = str(error).partition("\n")[0].rstrip(".")
    # Arrow only says once more that it could not read the value.
    known = "" if why.startswith(SAYS_NOTHING) else f" ({why})"
    return f"{shown}{known}; allowed: {column.type}."


def _refused(data: pa.Table, row: int, fault: tuple[Column, str], first_row: int) -> Refused:
    values = {
        name: None if (value := data.column(name)[row].as_py()) is None else str(value)
        for name in data.column_names
    }
    return Refused(first_row + row + 1, fault[0].name, fault[1], values)
