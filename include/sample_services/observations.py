"""Hourly weather in memory, in an order that pages can follow."""

import base64
import binascii
import csv
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from sample_services.flight_data import MISSING

MEASURES = (
    "temp", "dewp", "humid", "wind_dir", "wind_speed", "wind_gust", "precip", "pressure", "visib",
)  # fmt: skip
FORMAT = "%Y-%m-%dT%H:%M:%SZ"

# Time and origin: every observation has another one.
Key = tuple[str, str]
Item = dict[str, str | float | None]


@dataclass(frozen=True)
class Page:
    """Some observations, and where the next page begins."""

    items: list[Item]
    next: str | None


class BadCursorError(ValueError):
    """A cursor this service never gave out."""


class Observations:
    """All observations, ordered by time and origin."""

    def __init__(self, rows: Iterator[Item]) -> None:
        self._items = sorted(rows, key=_key)
        self._keys = [_key(item) for item in self._items]

    @classmethod
    def read(cls, path: Path) -> "Observations":
        """Load the CSV file of the data set."""
        with path.open(newline="") as file:
            return cls(_item(row) for row in csv.DictReader(file))

    def page(self, since: datetime, until: datetime, limit: int, cursor: str | None) -> Page:
        """Observations with since <= time < until, after the cursor.

        Raises:
            BadCursorError: for a cursor that is not one of ours.
        """
        first = bisect_left(self._keys, (_instant(since), ""))
        last = bisect_left(self._keys, (_instant(until), ""))
        if cursor is not None:
            first = max(first, bisect_right(self._keys, decode_cursor(cursor)))
        end = min(first + limit, last)
        more = end < last
        return Page(self._items[first:end], encode_cursor(self._keys[end - 1]) if more else None)


def encode_cursor(key: Key) -> str:
    """The text that stands for the last observation of a page."""
    return base64.urlsafe_b64encode("|".join(key).encode()).decode()


def decode_cursor(text: str) -> Key:
    """The observation a cursor stands for.

    Raises:
        BadCursorError: for a text that is not a cursor.
    """
    try:
        time, origin = base64.b64decode(text, altchars=b"-_", validate=True).decode().split("|")
        datetime.strptime(time, FORMAT).replace(tzinfo=UTC)
    except (binascii.Error, ValueError):
        raise BadCursorError(text) from None
    return time, origin


def _instant(moment: datetime) -> str:
    """The first whole second that is not before the moment, written like the data."""
    moment = moment.astimezone(UTC)
    text = moment.strftime(FORMAT)
    # A fraction puts the moment after that second and before the next.
    return f"{text}~" if moment.microsecond else text


def _item(row: dict[str, str]) -> Item:
    measures = {name: None if row[name] == MISSING else float(row[name]) for name in MEASURES}
    return {"origin": row["origin"], "time_hour": row["time_hour"], **measures}


def _key(item: Item) -> Key:
    return str(item["time_hour"]), str(item["origin"])
