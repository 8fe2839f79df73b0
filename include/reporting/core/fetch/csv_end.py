"""Tells whether a CSV ends where a row ends, or within quotes that were never closed."""

from __future__ import annotations

import io
from typing import IO

MARK = "\x1freporting: the end"


class EndMarked(io.RawIOBase):
    """A CSV stream with a row of its own at the end, of one field more than the others have.

    A reader that does not come across that row is within quotes: it takes the rest for one text.
    """

    def __init__(self, stream: IO[bytes], fields: int) -> None:
        """Keep the stream, and how many fields its rows have."""
        super().__init__()
        self._stream = stream
        self._mark = f"{MARK}{',' * fields}\n".encode()
        self._last = b""
        self._has_ended = False

    def readable(self) -> bool:
        """Say that this stream gives bytes."""
        return True

    def read(self, size: int = -1) -> bytes:
        """Return so many bytes; fewer only at the end, with the row behind them."""
        if self._has_ended:
            return b""
        room = max(size - len(self._mark) - 1, 0)
        block = self._whole(room)
        self._last = block[-1:] or self._last
        self._has_ended = len(block) < room
        return block + self._end() if self._has_ended else block

    def _whole(self, size: int) -> bytes:
        block = self._stream.read(size)
        while len(block) < size and (more := self._stream.read(size - len(block))):
            block += more
        return block

    def _end(self) -> bytes:
        if not self._last:  # what is empty stays so
            return b""
        # A line end only where there is none: an empty line may be a NULL.
        return self._mark if self._last in b"\r\n" else b"\n" + self._mark
