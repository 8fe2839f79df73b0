"""The report zone, and which dates and times can be written in it."""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from reporting.errors import TerminalError

if TYPE_CHECKING:
    import pyarrow as pa

# One day inside the calendar that Python knows, so that no zone's offset leads out of it.
EARLIEST = date.min + timedelta(days=1)
LATEST = date.max - timedelta(days=1)
_EPOCH = date(1970, 1, 1).toordinal()
_UNITS_A_DAY = {"s": 86_400, "ms": 86_400_000, "us": 86_400_000_000}


def report_zone(name: str) -> ZoneInfo:
    """Return the zone of that IANA name.

    Raises:
        TerminalError: there is no such zone.
    """
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise TerminalError(
            f"Export: unknown time zone {name!r}; allowed: IANA names such as 'America/New_York'."
        ) from None


def check_times(where: str, table: pa.Table) -> None:
    """Refuse dates and times that cannot be written, before anything is.

    Raises:
        TerminalError: a column holds a time that Python has no day for, or an instant that a zone
            may shift there.
    """
    import pyarrow.compute as pc
    import pyarrow.types as is_a

    for name, values in zip(table.column_names, table.columns, strict=True):
        # What is in a list is written by the same rules.
        column = pc.list_flatten(values) if is_a.is_list(values.type) else values
        if is_a.is_timestamp(column.type):
            bounds = (EARLIEST, LATEST) if column.type.tz else (date.min, date.max)
            units = _UNITS_A_DAY[column.type.unit]
            _check_range(f"{where}, column {name!r}", column, units, bounds)
        elif is_a.is_date32(column.type):
            _check_range(f"{where}, column {name!r}", column, 1, (date.min, date.max))


def _check_range(
    where: str, column: pa.ChunkedArray, units_a_day: int, bounds: tuple[date, date]
) -> None:
    import pyarrow as pa
    import pyarrow.compute as pc

    for end in pc.min_max(column).values():
        if end.value is None:
            continue
        day = _EPOCH + end.value // units_a_day
        first, last = bounds
        if not first.toordinal() <= day <= last.toordinal():
            raise TerminalError(
                f"{where}: {pc.cast(end, pa.string())}; allowed: {first} to {last}."
            )
