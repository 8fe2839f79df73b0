"""What a sheet holds, checked before the first cell is written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reporting.core.export.kinds import Kind, kinds_of
from reporting.core.export.xml_text import utf16_units
from reporting.errors import TerminalError

if TYPE_CHECKING:
    import pyarrow as pa

MAX_ROWS = 1_048_575  # one less than a sheet has: the first is the heading
MAX_COLUMNS = 16_384
MAX_TEXT = 32_767


def check_fits(title: str, table: pa.Table) -> None:
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
        if kind is Kind.TEXT:
            _check_texts(f"XLSX, table {title!r}, column {name!r}", column)


def _check_texts(where: str, column: pa.ChunkedArray) -> None:
    import pyarrow.compute as pc

    # A text never has more UTF-16 units than UTF-8 bytes, so only these need a closer look.
    suspects = pc.indices_nonzero(pc.greater(pc.binary_length(column), MAX_TEXT))
    for index in suspects.to_pylist():
        units = utf16_units(column[index].as_py())
        if units > MAX_TEXT:
            raise TerminalError(
                f"{where}, row {index + 1}: text of {units} characters; "
                f"a cell holds {MAX_TEXT}. Shorten it in compute, or export it as CSV."
            )
