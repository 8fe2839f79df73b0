"""Rows in batches that take a bounded amount of memory, however long each row is."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any, TypeVar

BATCH_ROWS = 2000
BATCH_BYTES = 4 * 1024 * 1024
T = TypeVar("T")


class Counted(io.RawIOBase):
    """Hands on a stream.

    Attributes:
        size: bytes that were read of it.
    """

    def __init__(self, stream: io.RawIOBase) -> None:
        """Keep the stream; nothing is read yet."""
        super().__init__()
        self.size = 0
        self._stream = stream

    def readable(self) -> bool:
        """Say that this stream gives bytes."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer as far as the stream gives."""
        piece = self._stream.read(len(buffer)) or b""
        buffer[: len(piece)] = piece
        self.size += len(piece)
        return len(piece)


def batches(rows: Iterator[T], stream: Counted) -> Iterator[list[T]]:
    """Yield rows as they are read out of a stream, many at a time and fewer where they are long."""
    batch: list[T] = []
    begun = stream.size
    for row in rows:
        batch.append(row)
        if len(batch) >= BATCH_ROWS or stream.size - begun >= BATCH_BYTES:
            yield batch
            batch, begun = [], stream.size
    if batch:
        yield batch
