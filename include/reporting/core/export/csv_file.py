r"""CSV files that keep every value and are safe to open in a spreadsheet.

Format: RFC 4180 (comma, `\r\n`, doubled quotes) in UTF-8 with a byte order mark, without which
Excel reads Chinese as noise. The decimal mark is always a point, so it is never the delimiter.
Values are written as `reporting.core.export.exact_text` says, besides:

- NULL is an empty field without quotes, empty text is `""`. In a table of one column a NULL is
  therefore an empty line; it counts as a row.
- Text is quoted where needed: delimiter, quote or line end inside, blank at an end, empty.
- Text that would run as a formula gets an apostrophe (`formula_guard`). Headings are text too.
- NUL in text becomes U+FFFD, since many readers stop at it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from reporting.core.export.exact_text import AsText, as_text
from reporting.core.export.formula_guard import guarded
from reporting.core.export.kinds import Kind, kinds_of
from reporting.core.export.times import check_times, report_zone
from reporting.core.export.whole_file import whole_file

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

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
    fields = [_text_field if k is Kind.TEXT else as_text(k, zone) for k in kinds_of(table.schema)]
    check_times("CSV", table)
    with whole_file(path) as draft, draft.open("w", encoding="utf-8-sig", newline="") as file:
        file.write(",".join(map(_text_field, table.column_names)) + _LINE_END)
        for lines in _lines(table, fields):
            file.write(lines)
    return int(table.num_rows)


def _lines(table: pa.Table, fields: list[AsText]) -> Iterator[str]:
    for batch in table.to_batches(max_chunksize=_BATCH_ROWS):
        columns = [
            ["" if value is None else field(value) for value in column.to_pylist()]
            for field, column in zip(fields, batch.columns, strict=True)
        ]
        rows = zip(*columns, strict=True)
        yield "".join(",".join(row) + _LINE_END for row in rows)


def _text_field(text: str) -> str:
    safe = guarded(text.replace("\0", "\ufffd"))
    if _NEEDS_QUOTES.search(safe):
        return '"' + safe.replace('"', '""') + '"'
    return safe
