r"""CSV files that keep every value and are safe to open in a spreadsheet.

Format: RFC 4180 (comma, `\r\n`, doubled quotes) in UTF-8 with a byte order mark, without which
Excel reads Chinese as noise. The decimal mark is always a point, so it is never the delimiter.
Values are written as `reporting.core.export.exact_text` says, besides:

- NULL is an empty field without quotes, empty text is `""`. In a table of one column a NULL is
  therefore an empty line; it counts as a row.
- Text is quoted where needed: delimiter, quote or line end inside, blank at an end, empty.
- Text that would run as a formula gets an apostrophe (`formula_guard`). Headings are text too.
- NUL in text becomes U+FFFD, since many readers stop at it.
- UUIDs, intervals and JSON are text like any other.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from reporting.core.export.exact_text import AsText, as_text
from reporting.core.export.formula_guard import guarded
from reporting.core.export.kinds import Kind, kinds_of
from reporting.core.export.times import check_times, report_zone
from reporting.core.export.values import values_of
from reporting.core.export.whole_file import whole_file

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from zoneinfo import ZoneInfo

    import pyarrow as pa

_BATCH_ROWS = 10_000
_LINE_END = "\r\n"
# A lone \. is quoted because COPY in PostgreSQL takes it for the end of the data.
_NEEDS_QUOTES = re.compile(r'[",\r\n]|\A\s|\s\Z|\A\Z|\A\\\.\Z')


def write_csv(table: pa.Table, path: Path, *, timezone: str) -> int:
    """Write the table and return the number of rows, the heading not counted.

    Rows are converted batch by batch, so memory does not grow with their number.

    Args:
        table: columns of declared types.
        path: file to write; on an error it is left as it was.
        timezone: IANA name of the zone in which `timestamptz` is written.

    Raises:
        TerminalError: the zone, a type or a time cannot be written.
    """
    zone = report_zone(timezone)
    kinds = kinds_of(table.schema)
    fields = [_field(k, f.type, zone) for k, f in zip(kinds, table.schema, strict=True)]
    check_times("CSV", table)
    with whole_file(path) as draft, draft.open("w", encoding="utf-8-sig", newline="") as file:
        file.write(",".join(map(_text_field, table.column_names)) + _LINE_END)
        for lines in _lines(table, fields):
            file.write(lines)
    return int(table.num_rows)


def _field(kind: Kind, column_type: pa.DataType, zone: ZoneInfo) -> AsText:
    """Return the function that writes one value (never None) of a column as a field."""
    written = as_text(column_type, zone)
    if kind is Kind.TEXT:
        return _text_field
    if kind is Kind.LIST:  # begins with {, so it never runs
        return lambda values: _quoted(written(values))
    return written


def _lines(table: pa.Table, fields: list[AsText]) -> Iterator[str]:
    for batch in table.to_batches(max_chunksize=_BATCH_ROWS):
        columns = [
            ["" if value is None else field(value) for value in values_of(column)]
            for field, column in zip(fields, batch.columns, strict=True)
        ]
        rows = zip(*columns, strict=True)
        yield "".join(",".join(row) + _LINE_END for row in rows)


def _text_field(text: str) -> str:
    return _quoted(guarded(text))


def _quoted(text: str) -> str:
    shown = text.replace("\0", "\ufffd")
    return '"' + shown.replace('"', '""') + '"' if _NEEDS_QUOTES.search(shown) else shown
