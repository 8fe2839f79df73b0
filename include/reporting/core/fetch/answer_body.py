"""The body of an answer as a stream: bounded in size and time, never taken for whole when cut."""

from __future__ import annotations

import io
import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from reporting.core.fetch.endpoint import place_of
from reporting.core.fetch.said import Said
from reporting.core.fetch.unzip import PIECE_BYTES, unzipped
from reporting.errors import ContractError, ReportError, TransientError

if TYPE_CHECKING:
    import requests

    from reporting.core.fetch.limits import Limits

MAX_SAID_BYTES = 64 * 1024


class AnswerBody(io.RawIOBase):
    """Reads the body as it comes.

    The library compares it with the length announced and with the marks of its chunks; that a
    zipped body has reached its own end is checked here, because the library does not.
    """

    def __init__(self, answer: requests.Response, where: str, limits: Limits) -> None:
        """Keep the answer; nothing is read yet.

        Raises:
            ContractError: the body has an encoding that was not asked for.
        """
        super().__init__()
        self._raw: Any = answer.raw
        self._where = where
        self._at = f"{where} at {place_of(answer.url)}"
        self._limits = limits
        self._size = 0
        self._rest = memoryview(b"")
        self._is_over = False
        encoding = answer.headers.get("Content-Encoding", "identity").lower()
        if encoding not in ("identity", "gzip", "x-gzip", "deflate"):
            raise ContractError(
                f"{where} answered in encoding {encoding[:40]!r}; allowed: gzip, deflate, none."
            )
        received = self._received()
        self._pieces = received if encoding == "identity" else unzipped(received)

    def readable(self) -> bool:
        """Say that this stream gives bytes."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer as far as the piece at hand goes.

        Raises:
            TransientError: the body was cut off, or takes too long.
            ContractError: it is too large.
        """
        while not self._rest and not self._is_over:
            self._rest = memoryview(self._next())
        size = min(len(buffer), len(self._rest))
        buffer[:size] = self._rest[:size]
        self._rest = self._rest[size:]
        return size

    def read_whole(self) -> bytes:
        """Return all that is left."""
        return self.read() or b""

    def _next(self) -> bytes:
        try:
            piece = next(self._pieces, None)
        except zlib.error:
            raise TransientError(f"{self._where} sent a damaged zipped body.") from None
        except EOFError:
            raise TransientError(f"{self._where} sent a zipped body that was cut off.") from None
        self._is_over = piece is None
        self._size += len(piece or b"")
        self._check()
        return piece or b""

    def _received(self) -> Iterator[bytes]:
        from requests.exceptions import RequestException
        from urllib3.exceptions import HTTPError

        while True:
            try:
                received = self._raw.read1(PIECE_BYTES, decode_content=False)
            except (RequestException, HTTPError, OSError) as error:
                raise self._limits.broken(self._at, error) from None
            if not received:
                return
            yield bytes(received)

    def _check(self) -> None:
        if self._size > self._limits.max_bytes:
            raise ContractError(
                f"{self._where} answered more than {self._limits.max_bytes:,} bytes; allowed: up "
                "to `max_bytes` of the source. Ask for smaller pages, or raise it."
            )
        if self._limits.is_over():
            raise self._limits.late(self._where)


def said_in(answer: requests.Response, where: str, limits: Limits) -> Said:
    """Return the beginning of a short answer, as far as it comes in time and can be read."""
    words, is_whole = b"", False
    with suppress(ReportError):
        body = AnswerBody(answer, where, replace(limits, max_bytes=2 * PIECE_BYTES))
        while len(words) <= MAX_SAID_BYTES and (piece := body.read(PIECE_BYTES)):
            words += piece
        is_whole = len(words) <= MAX_SAID_BYTES
    return Said(words[:MAX_SAID_BYTES], answer.headers.get("Content-Type", ""), is_whole)
