"""Cursors: where a page has ended, in a form that nobody takes apart.

A cursor holds the number of the last thing of a page. Later things have larger numbers and lists go
down, so that neither what is added nor what is removed moves anything from page to page. Dead
letters go by time, which their cursor holds, too, with the direction; reports go by name.
"""

import base64
import binascii
import re
from datetime import UTC, datetime, timedelta
from typing import Annotated

from pydantic import AfterValidator, Field

from reporting.airflow_edge.web_rights import LARGEST_NUMBER
from reporting.core.warehouse.dead_letters import Order, Place

LARGEST_RUN = 2**31 - 1
_HELD = re.compile(r"(runs|releases|(?:newest|oldest)@-?[0-9]{1,16}):([1-9][0-9]{0,18})\Z")
LONGEST = 64
LONGEST_NAMED = 400  # holds a name of 250 characters
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
TICK = timedelta(microseconds=1)
ORDERS = ("newest", "oldest")


def run_cursor(number: int | None) -> str | None:
    """Return the cursor of the page below a run; None when there is none."""
    return None if number is None else _cursor("runs", number)


def release_cursor(number: int | None) -> str | None:
    """Return the cursor of the page below a release; None when there is none."""
    return None if number is None else _cursor("releases", number)


def letter_cursor(order: Order, place: Place | None) -> str | None:
    """Return the cursor of the page beyond a dead letter; None when there is none."""
    if place is None:
        return None
    return _cursor(f"{order}@{(place.last_at - EPOCH) // TICK}", place.dead_letter_id)


def place_in(cursor: str | None) -> Place | None:
    """Return the place of a dead letter that a checked cursor holds."""
    if cursor is None:
        return None
    of, number = _held(cursor)
    return Place(EPOCH + int(of.partition("@")[2]) * TICK, int(number))


def order_in(cursor: str) -> str:
    """Return the order in which the list of dead letters goes on at a checked cursor."""
    return _held(cursor)[0].partition("@")[0]


def report_cursor(name: str | None) -> str | None:
    """Return the cursor of the page beyond a report; None when there is none."""
    return None if name is None else _encoded(f"reports:{name}")


def name_in(cursor: str | None) -> str | None:
    """Return the name that a checked cursor holds."""
    return None if cursor is None else _decoded(cursor).partition(":")[2]


def number_in(cursor: str | None) -> int | None:
    """Return the number a checked cursor holds."""
    return None if cursor is None else int(_held(cursor)[1])


def _cursor(of: str, number: int) -> str:
    return _encoded(f"{of}:{number}")


def _encoded(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _decoded(cursor: str) -> str:
    try:
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        return base64.b64decode(padded, altchars=b"-_", validate=True).decode()
    except (binascii.Error, UnicodeError):
        return ""


def _held(cursor: str) -> tuple[str, str]:
    found = _HELD.match(_decoded(cursor))
    if found is None or _cursor(found[1], int(found[2])) != cursor:
        raise ValueError("is no cursor; take `next_cursor` of the page before, or leave it out")
    return found[1], found[2]


def _of_runs(cursor: str) -> str:
    return _checked(cursor, "runs", LARGEST_RUN)


def _of_releases(cursor: str) -> str:
    return _checked(cursor, "releases", LARGEST_NUMBER)


def _of_letters(cursor: str) -> str:
    of, number = _held(cursor)
    if of.partition("@")[0] not in ORDERS or int(number) > LARGEST_NUMBER:
        raise ValueError("is no cursor of dead letters; take `next_cursor` of the page before")
    return cursor


def _checked(cursor: str, of: str, largest: int) -> str:
    found, number = _held(cursor)
    if found != of or int(number) > largest:
        raise ValueError(f"is no cursor of {of}; take `next_cursor` of the page before")
    return cursor


def _of_reports(cursor: str) -> str:
    text = _decoded(cursor)
    if not text.startswith("reports:") or "\0" in text or _encoded(text) != cursor:
        raise ValueError("is no cursor of reports; take `next_cursor` of the page before")
    return cursor


_TEXT = Field(max_length=LONGEST, description="`next_cursor` of the page before.")
RunCursor = Annotated[str, _TEXT, AfterValidator(_of_runs)]
ReleaseCursor = Annotated[str, _TEXT, AfterValidator(_of_releases)]
LetterCursor = Annotated[str, _TEXT, AfterValidator(_of_letters)]
ReportCursor = Annotated[
    str,
    Field(max_length=LONGEST_NAMED, description="`next_cursor` of the page before."),
    AfterValidator(_of_reports),
]
