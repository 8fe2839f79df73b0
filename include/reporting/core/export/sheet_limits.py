"""What a sheet holds, checked before the first cell is written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reporting.core.export.exact_text import AsText, as_text
from reporting.core.export.kinds import Kind, kind_of, kinds_of
from reporting.core.export.values import values_of
from reporting.core.export.xml_text import utf16_units
from reporting.errors import TerminalError

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

    import pyarrow as pa

MAX_ROWS = 1_048_575  # one less than a sheet has: the first is the heading
MAX_COLUMNS = 16_384
MAX_TEXT = 32_767
LONGEST_PLAIN = 48  # more than any number, day or time has


def check_fits(title: str, table: pa.Table, zone: ZoneInfo) -> None:
    """Refuse what would have to be cut: too many columns, or a text too long for a cell.

    Too many rows are no fault; they go on over further sheets.

    Raises:
        TerminalError: with the column and the row (counted from 1, heading not counted).
    """
    if table.num_columns > MAX_COLUMNS:
        raise TerminalError(
            f"XLSX, table {title!r}: {table.num_columns} columns; allowed: {MAX_COLUMNS}. "
            "Export it as CSV."
        )
    for name, kind, column in zip(
        table.column_names, kinds_of(table.schema), table.columns, strict=True
    ):
        if kind in (Kind.TEXT, Kind.BYTES, Kind.LIST):
            written = as_text(column.type, zone)
            _check_texts(f"XLSX, table {title!r}, column {name!r}", column, written)


def _check_texts(where: str, column: pa.ChunkedArray, written: AsText) -> None:
    import pyarrow.compute as pc

    # Only those need a closer look that may be too long.
    suspects = pc.indices_nonzero(pc.greater(_at_most(column), MAX_TEXT))
    for index in suspects.to_pylist():
        units = utf16_units(written(values_of(column.slice(index, 1))[0]))
        if units > MAX_TEXT:
            raise TerminalError(
                f"{where}, row {index + 1}: text of {units} characters; "
                f"a cell holds {MAX_TEXT}. Shorten it in compute, or export it as CSV."
            )


def _at_most(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return how many UTF-16 units the text of each value has at most."""
    import pyarrow.compute as pc

    if kind_of(column.type) is Kind.LIST:
        longest = pc.max(_at_most(pc.list_flatten(column))).as_py() or len("NULL")
        # Each letter may need a backslash, each element quotes and a comma.
        return pc.add(pc.multiply(pc.list_value_length(column), 2 * longest + 3), 2)
    if kind_of(column.type) is Kind.TEXT:
        return pc.binary_length(column)  # never less in UTF-8
    if kind_of(column.type) is Kind.BYTES:
        return pc.add(pc.multiply(pc.binary_length(column), 2), 2)
    return pc.if_else(column.is_valid(), LONGEST_PLAIN, 0)
