"""The rows of one large JSON answer, one after the other, in memory that does not grow with them.

It is read by the standard library's own decoder, value by value out of a buffer, because a
quicker parser that was tried ended the process on a number of some thousand digits.
"""

from __future__ import annotations

import io
import json
from codecs import getincrementaldecoder
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from reporting.core.fetch.told_error import error_told, told
from reporting.errors import ContractError

READ_BYTES = 256 * 1024
LONGEST_VALUE = 64 * 1024 * 1024
_BLANK = " \t\r\n"
_DECODER = json.JSONDecoder(parse_float=Decimal)


class NotJsonError(ContractError):
    """The bytes are no JSON, or have no list where it was said to be."""


def rows_of(stream: io.RawIOBase, items: str | None) -> Iterator[Any]:
    """Yield the values of a list.

    Args:
        stream: UTF-8 bytes, read once.
        items: name of the list in the object that the bytes are; None when they are the list.

    Raises:
        NotJsonError: saying what was found.
    """
    text = _Text(stream)
    if items is not None:
        text.demand("{", f"no object with a list {items!r}")
        _find(text, items)
    text.demand("[", "no list" if items is None else f"no list {items!r}")
    if not text.take("]"):
        yield text.value()
        while not text.take("]"):
            text.demand(",", "no end of the list")
            yield text.value()
    if items is not None:
        _end(text, items)
    text.demand_end()


def _find(text: _Text, name: str) -> None:
    """Go to the value of that name; those before it are passed over."""
    if text.take("}"):
        raise NotJsonError(f"an object without a list {name!r}")
    passed = []
    while True:
        key = text.value()
        text.demand(":", "no value after a name")
        if key == name:
            return
        passed.append(f"{key}: {told(_passed_over(text, key))}")
        if not text.take(","):
            has = "; ".join(passed)[:400]
            raise NotJsonError(f"an object without a list {name!r}; it has {has}")


def _end(text: _Text, name: str) -> None:
    """Go past the rest of the object: an answer that was cut off has none."""
    while text.take(","):
        key = text.value()
        if key == name:
            raise NotJsonError(f"an object with two lists {name!r}")
        text.demand(":", "no value after a name")
        _passed_over(text, key)
    text.demand("}", "no end of the object")


def _passed_over(text: _Text, key: Any) -> Any:
    value = text.value()
    if fault := error_told({str(key): value}):
        raise NotJsonError(f"an object that tells of an error; {fault}")
    return value


class _Text:
    """What is left of the text, as far as it has been read."""

    def __init__(self, stream: io.RawIOBase) -> None:
        self._stream = stream
        self._decode = getincrementaldecoder("utf-8-sig")().decode
        self._text = ""
        self._place = 0
        self._is_over = False

    def take(self, mark: str) -> bool:
        """Go past a mark if it is the next that is not blank."""
        while True:
            while self._place < len(self._text) and self._text[self._place] in _BLANK:
                self._place += 1
            if self._place < len(self._text) or not self._more(READ_BYTES):
                break
        found = self._text.startswith(mark, self._place)
        self._place += len(mark) * found
        return found

    def demand(self, mark: str, otherwise: str) -> None:
        """Go past a mark that must be the next."""
        if not self.take(mark):
            begins = self._text[self._place : self._place + 80]
            raise NotJsonError(f"{otherwise}: {begins!r}")

    def demand_end(self) -> None:
        """Refuse anything but blanks in what is left."""
        self.take("")
        if self._place < len(self._text):
            begins = self._text[self._place : self._place + 80]
            raise NotJsonError(f"more than one value: {begins!r}")

    def value(self) -> Any:
        """Return the value that is next and go past it."""
        self.take("")
        size = READ_BYTES
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self._place)
            except (ValueError, RecursionError, ArithmeticError) as error:
                # Too little has been read, or it is no JSON: more text tells.
                if not self._more(size):
                    begins = self._text[self._place : self._place + 80]
                    raise NotJsonError(f"{type(error).__name__} at {begins!r}") from None
            else:
                # A number may go on in what was not read yet.
                if end < len(self._text) or not self._more(size):
                    self._place = end
                    return value
            size *= 2

    def _more(self, size: int) -> bool:
        """Read on; say whether there was anything."""
        if self._is_over:
            return False
        rest = self._text[self._place :]
        if len(rest) > LONGEST_VALUE:
            raise NotJsonError(f"a value longer than {LONGEST_VALUE} characters")
        read = self._stream.read(size) or b""
        try:
            more = self._decode(read, not read)
        except UnicodeDecodeError as error:
            raise NotJsonError(f"no UTF-8: {error.reason}") from None
        self._is_over = not read
        self._text, self._place = rest + more, 0
        return bool(read)
