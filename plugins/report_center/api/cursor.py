"""Cursors: where a page has ended, in a form that nobody takes apart.

A cursor holds the number of the last thing of a page. Later things have larger numbers and lists go
down, so that neither what is added nor what is removed moves anything from page to page.
"""

import base64
import binascii
import re
from typing import Annotated

from pydantic import AfterValidator, Field

LARGEST_RUN = 2**31 - 1
LARGEST_RELEASE = 2**63 - 1
_HELD = re.compile(r"(runs|releases):([1-9][0-9]{0,18})\Z")
LONGEST = 64


def run_cursor(number: int | None) -> str | None:
    """Return the cursor of the page below a run; None when there is none."""
    return None if number is None else _cursor("runs", number)


def release_cursor(number: int | None) -> str | None:
    """Return the cursor of the page below a release; None when there is none."""
    return None if number is None else _cursor("releases", number)


def number_in(cursor: str | None) -> int | None:
    """Return the number a checked cursor holds."""
    return None if cursor is None else int(_held(cursor)[1])


def _cursor(of: str, number: int) -> str:
    return base64.urlsafe_b64encode(f"{of}:{number}".encode()).decode().rstrip("=")


def _held(cursor: str) -> tuple[str, str]:
    try:
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        text = base64.b64decode(padded, altchars=b"-_", validate=True).decode("ascii")
    except (binascii.Error, UnicodeError):
        text = ""
    found = _HELD.match(text)
    if found is None or _cursor(found[1], int(found[2])) != cursor:
        raise ValueError("is no cursor; take `next_cursor` of the page before, or leave it out")
    return found[1], found[2]


def _of_runs(cursor: str) -> str:
    return _checked(cursor, "runs", LARGEST_RUN)


def _of_releases(cursor: str) -> str:
    return _checked(cursor, "releases", LARGEST_RELEASE)


def _checked(cursor: str, of: str, largest: int) -> str:
    found, number = _held(cursor)
    if found != of or int(number) > largest:
        raise ValueError(f"is no cursor of {of}; take `next_cursor` of the page before")
    return cursor


_TEXT = Field(max_length=LONGEST, description="`next_cursor` of the page before.")
RunCursor = Annotated[str, _TEXT, AfterValidator(_of_runs)]
ReleaseCursor = Annotated[str, _TEXT, AfterValidator(_of_releases)]
