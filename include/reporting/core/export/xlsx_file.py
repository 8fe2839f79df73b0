"""XLSX workbooks: one sheet for each table, and more where a table has too many rows for one.

What becomes of each value is written down in `reporting.core.export.xlsx_cells`, the names of
sheets in `reporting.core.export.sheet_names`. The same tables always give the same bytes.
"""

from __future__ import annotations

from contextlib import contextmanager
from datetime import UTC, datetime
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from reporting.core.export.plain_worksheet import plain_worksheet
from reporting.core.export.sheet_limits import MAX_ROWS, check_fits
from reporting.core.export.sheet_names import sheet_names
from reporting.core.export.times import check_times, report_zone
from reporting.core.export.whole_file import whole_file
from reporting.core.export.xlsx_formats import Formats
from reporting.core.export.xlsx_sheet import write_sheet
from reporting.errors import TerminalError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path
    from zoneinfo import ZoneInfo

    import pyarrow as pa
    from xlsxwriter import Workbook

_NO_GUESSES = {
    "constant_memory": True,
    "strings_to_formulas": False,
    "strings_to_numbers": False,
    "strings_to_urls": False,
    "use_zip64": True,
}
# The time of writing would make every file differ from the last.
_CREATED = datetime(2000, 1, 1, tzinfo=UTC)


def write_xlsx(
    sheets: Mapping[str, pa.Table], path: Path, *, timezone: str, max_rows: int = MAX_ROWS
) -> int:
    """Write one workbook and return the number of rows, headings not counted.

    Everything is checked before the first cell is written, and rows go to disk as they come, so
    memory does not grow with their number. A table of more than `max_rows` rows goes on over the
    sheets `name (2)`, `name (3)`, …, each with the heading.

    Args:
        sheets: title of a sheet and its table, in order.
        path: file to write; on an error it is left as it was.
        timezone: IANA name of the zone in which `timestamptz` is written.
        max_rows: rows on one sheet, the heading not counted.

    Raises:
        TerminalError: the zone, a type, a time or the length of a text cannot be written.
    """
    zone = report_zone(timezone)
    _check(sheets, max_rows, zone)
    pages = [page for title, table in sheets.items() for page in _pages(title, table, max_rows)]
    names = sheet_names(title for title, _ in pages)
    with whole_file(path) as draft, _workbook(draft) as workbook:
        formats = Formats(workbook)
        for name, (_, page) in zip(names, pages, strict=True):
            sheet = workbook.add_worksheet(name, worksheet_class=plain_worksheet())
            write_sheet(sheet, page, formats, zone)
    return sum(table.num_rows for table in sheets.values())


def _check(sheets: Mapping[str, pa.Table], max_rows: int, zone: ZoneInfo) -> None:
    if not sheets:
        raise TerminalError("XLSX: no table was given; allowed: at least one.")
    if not 1 <= max_rows <= MAX_ROWS:
        raise TerminalError(f"XLSX: max_rows is {max_rows}; allowed: 1 to {MAX_ROWS}.")
    for title, table in sheets.items():
        check_fits(title, table, zone)
        check_times(f"XLSX, table {title!r}", table)


def _pages(title: str, table: pa.Table, max_rows: int) -> Iterator[tuple[str, pa.Table]]:
    for start in range(0, max(table.num_rows, 1), max_rows):
        yield title, table.slice(start, max_rows)


@contextmanager
def _workbook(path: Path) -> Iterator[Workbook]:
    from xlsxwriter import Workbook

    # Not closed after an error: closing would assemble a file of the rows written so far.
    with TemporaryDirectory() as rows_folder:
        workbook = Workbook(path, _NO_GUESSES | {"tmpdir": rows_folder})
        workbook.set_properties({"created": _CREATED})
        yield workbook
        workbook.close()
