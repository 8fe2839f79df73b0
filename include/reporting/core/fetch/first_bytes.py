"""A stream that remembers how it began."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import io

KEPT_BYTES = 1024 * 1024
SHOWN_CHARACTERS = 80


class FirstBytes:
    """Passes on what it reads and keeps the beginning.

    Attributes:
        kept: the first bytes, at most 1 MiB.
        is_whole: whether these are all, as far as it was read.
    """

    def __init__(self, stream: io.RawIOBase) -> None:
        """Keep the stream; nothing is read yet."""
        self._stream = stream
        self.kept = b""
        self.is_whole = True

    def read(self, size: int = -1) -> bytes:
        """Read bytes."""
        piece = self._stream.read(size) or b""
        room = KEPT_BYTES - len(self.kept)
        self.kept += piece[:room]
        self.is_whole = self.is_whole and len(piece) <= room
        return piece

    @property
    def shown(self) -> str:
        """The very beginning, for a message."""
        return self.kept[:SHOWN_CHARACTERS].decode(errors="replace")
