"""Text of any declared charset as UTF-8, piece by piece."""

from __future__ import annotations

import io
from codecs import getincrementaldecoder, lookup
from typing import Any

from reporting.errors import ContractError

AS_THEY_ARE = ("utf-8", "ascii")
SHOWN = 40


def charset_of(content_type: str) -> str:
    """Return the charset that a header `Content-Type` declares, or nothing."""
    _, _, declared = content_type.lower().partition("charset=")
    return declared.partition(";")[0].strip(" \"'")


def as_utf8(stream: io.RawIOBase, content_type: str, where: str) -> io.RawIOBase:
    """Return a stream of UTF-8, whatever its charset; the same one where none is declared.

    Raises:
        ContractError: there is no such charset.
    """
    name = charset_of(content_type)
    try:
        "".encode(name or "utf-8")  # what is no encoding of text is refused
        known = lookup(name or "utf-8").name
    except (LookupError, ValueError):
        raise ContractError(f"{where}: there is no charset {name[:SHOWN]!r}.") from None
    return stream if known in AS_THEY_ARE else _Utf8(stream, known, where)


class _Utf8(io.RawIOBase):
    def __init__(self, stream: io.RawIOBase, charset: str, where: str) -> None:
        super().__init__()
        self._stream, self._charset, self._where = stream, charset, where
        self._decode = getincrementaldecoder(charset)().decode
        self._rest = memoryview(b"")
        self._is_over = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer as far as the piece at hand goes."""
        while not self._rest and not self._is_over:
            self._rest = memoryview(self._next(len(buffer)))
        size = min(len(buffer), len(self._rest))
        buffer[:size] = self._rest[:size]
        self._rest = self._rest[size:]
        return size

    def _next(self, size: int) -> bytes:
        read = self._stream.read(size) or b""
        self._is_over = not read
        try:
            return bytes(self._decode(read, self._is_over).encode())
        except ValueError as error:
            raise ContractError(f"{self._where}: it is no {self._charset}: {error}.") from None
