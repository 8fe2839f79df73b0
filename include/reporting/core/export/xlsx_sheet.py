"""One sheet: heading, widths, filter and rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reporting.core.export.column_width import column_width
from reporting.core.export.kinds import Kind, kinds_of
from reporting.core.export.values import values_of
from reporting.core.export.xlsx_cells import Cells, Put
from reporting.core.export.xml_text import legal

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

    import pyarrow as pa
    from xlsxwriter.worksheet import Worksheet

    from reporting.core.export.xlsx_formats import Formats

_BATCH_ROWS = 10_000
_EVERYWHERE = "A1:XFD1048576"


def write_sheet(sheet: Worksheet, table: pa.Table, formats: Formats, zone: ZoneInfo) -> None:
    """Fill an empty sheet with the table, which must fit on it.

    The first row is the heading: bold, frozen, with a filter. Rows go to disk as they are written.
    """
    kinds = kinds_of(table.schema)
    headings = [
        _heading(name, kind, zone) for name, kind in zip(table.column_names, kinds, strict=True)
    ]
    _lay_out(sheet, table, headings, kinds)
    for col, heading in enumerate(headings):
        sheet.write_string(0, col, heading, formats.heading)
    cells = Cells(sheet, formats, zone)
    puts = [cells.put(kind, field.type) for kind, field in zip(kinds, table.schema, strict=True)]
    _write_rows(table, puts)


def _heading(name: str, kind: Kind, zone: ZoneInfo) -> str:
    return legal(f"{name} ({zone.key})" if kind is Kind.TIMESTAMPTZ else name)


def _lay_out(sheet: Worksheet, table: pa.Table, headings: list[str], kinds: list[Kind]) -> None:
    for col, (heading, kind) in enumerate(zip(headings, kinds, strict=True)):
        sheet.set_column(col, col, column_width(heading, table.column(col), kind))
    sheet.freeze_panes(1, 0)
    sheet.autofilter(0, 0, table.num_rows, table.num_columns - 1)
    # Codes such as 00123 are text on purpose; without this each gets a warning mark.
    sheet.ignore_errors({"number_stored_as_text": _EVERYWHERE})


def _write_rows(table: pa.Table, puts: list[Put]) -> None:
    row = 0
    for batch in table.to_batches(max_chunksize=_BATCH_ROWS):
        columns = [values_of(column) for column in batch.columns]
        for values in zip(*columns, strict=True):
            row += 1
            for col, value in enumerate(values):
                if value is not None:
                    puts[col](row, col, value)
