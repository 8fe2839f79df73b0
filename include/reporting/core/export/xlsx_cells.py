"""How a value of each kind becomes an XLSX cell.

| kind            | cell                                                                        |
|-----------------|-----------------------------------------------------------------------------|
| text            | string, never formula, link or number; XML-illegal characters are U+FFFD    |
| bytes, list     | string, as in a CSV file                                                    |
| integer         | number up to 15 digits, beyond that right-aligned text                      |
| decimal         | number up to 15 significant digits, beyond that right-aligned text          |
| float           | number in General format; `NaN`, `Infinity`, `-Infinity` as text, as in CSV |
| bool            | boolean                                                                     |
| time            | time-of-day cell; ISO text where it is finer than a millisecond             |
| date, timestamp | date cell; ISO text before 1900-03-01, where Excel's calendar is wrong      |
| timestamptz     | the same, as local time of the report zone; the heading names the zone      |
| NULL            | no cell; empty text is a cell with an empty string                          |

Timestamps are cut to the millisecond, which is all a date cell shows.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import date, datetime, time
from typing import TYPE_CHECKING, Any

from reporting.core.export.exact_text import AsText, as_text, decimal_text, float_text
from reporting.core.export.formula_guard import would_run
from reporting.core.export.kinds import Kind
from reporting.core.export.xml_text import legal

if TYPE_CHECKING:
    from decimal import Decimal
    from zoneinfo import ZoneInfo

    import pyarrow as pa
    from xlsxwriter.worksheet import Worksheet

    from reporting.core.export.xlsx_formats import Formats

Put = Callable[[int, int, Any], Any]

MAX_DIGITS = 15
MAX_SCALE = 30  # places after the point that a number format can show
_CALENDAR_START = date(1900, 3, 1)


class Cells:
    """Writes the cells of one sheet; rows and columns count from 0."""

    def __init__(self, sheet: Worksheet, formats: Formats, zone: ZoneInfo) -> None:
        """Keep the sheet, the workbook's formats and the report zone."""
        self._sheet, self._formats, self._zone = sheet, formats, zone

    def put(self, kind: Kind, column_type: pa.DataType) -> Put:
        """Return the function that writes one value (never None) of a column."""
        if kind is Kind.DECIMAL:
            return self._decimals(column_type.scale)
        if kind in (Kind.BYTES, Kind.LIST):
            return self._written(as_text(column_type, self._zone))
        by_kind: dict[Kind, Put] = {
            Kind.TEXT: self._text,
            Kind.BOOL: self._sheet.write_boolean,
            Kind.INTEGER: self._integer,
            Kind.FLOAT: self._float,
            Kind.DATE: self._date,
            Kind.TIME: self._time,
            Kind.TIMESTAMP: self._timestamp,
            Kind.TIMESTAMPTZ: self._timestamptz,
        }
        return by_kind[kind]

    def _text(self, row: int, col: int, value: str) -> None:
        # The quote prefix keeps =1+2 a text even after someone edits the cell.
        style = self._formats.quoted if would_run(value) else None
        self._sheet.write_string(row, col, legal(value), style)

    def _written(self, written: AsText) -> Put:
        return lambda row, col, value: self._text(row, col, written(value))

    def _exact(self, row: int, col: int, text: str) -> None:
        self._sheet.write_string(row, col, text, self._formats.exact)

    def _integer(self, row: int, col: int, value: int) -> None:
        if abs(value) < 10**MAX_DIGITS:
            self._sheet.write_number(row, col, value, self._formats.integer)
        else:
            self._exact(row, col, str(value))

    def _decimals(self, scale: int) -> Put:
        style = self._formats.decimal(min(scale, MAX_SCALE))

        def put(row: int, col: int, value: Decimal) -> None:
            if scale <= MAX_SCALE and significant_digits(value) <= MAX_DIGITS:
                self._sheet.write_number(row, col, float(value), style)
            else:
                self._exact(row, col, decimal_text(value))

        return put

    def _float(self, row: int, col: int, value: float) -> None:
        if math.isfinite(value):
            self._sheet.write_number(row, col, value)
        else:
            self._exact(row, col, float_text(value))

    def _date(self, row: int, col: int, value: date) -> None:
        if value < _CALENDAR_START:
            self._exact(row, col, value.isoformat())
        else:
            self._sheet.write_datetime(row, col, value, self._formats.date)

    def _time(self, row: int, col: int, value: time) -> None:
        if value.microsecond % 1000:
            self._exact(row, col, value.isoformat())
            return
        is_whole = not value.microsecond
        style = self._formats.time_second if is_whole else self._formats.time_millisecond
        self._sheet.write_datetime(row, col, value, style)

    def _timestamp(self, row: int, col: int, value: datetime) -> None:
        if value.date() < _CALENDAR_START:
            self._exact(row, col, value.isoformat())
            return
        shown = value.replace(microsecond=value.microsecond // 1000 * 1000)
        # Excel rounds what a format leaves out: 23:59:59.999 would show as the next day.
        style = self._formats.millisecond if shown.microsecond else self._formats.second
        self._sheet.write_datetime(row, col, shown, style)

    def _timestamptz(self, row: int, col: int, value: datetime) -> None:
        self._timestamp(row, col, value.astimezone(self._zone).replace(tzinfo=None))


def significant_digits(value: Decimal) -> int:
    """Count the digits between the first and the last that are not zero."""
    digits = "".join(map(str, value.as_tuple().digits))
    return len(digits.strip("0"))
