"""The blocks of a running COPY as a stream that a reader in another thread may read ahead."""

from __future__ import annotations

import io
from itertools import islice
from threading import Lock
from types import TracebackType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    import psycopg

CANCEL_SECONDS = 30
ROWS_AT_ONCE = 1000  # the server sends a block for each row


class CopyStream(io.RawIOBase):
    """Leave the `with` block before that of the COPY: no read is under way any more then.

    Arrow's CSV reader reads ahead in a thread of its own, also after its user has given up. Were
    it still at the connection when the COPY is ended, the two would wait for each other for good.
    """

    def __init__(self, connection: psycopg.Connection[Any], blocks: Iterator[Any]) -> None:
        """Keep where the blocks come from; nothing is read yet."""
        super().__init__()
        self._connection = connection
        self._blocks = blocks
        self._rest = memoryview(b"")
        self._reading = Lock()
        self._is_over = False

    def readable(self) -> bool:
        """Say that this stream gives bytes."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer as far as the block at hand goes."""
        with self._reading:
            while not self._rest and not self._is_over:
                block = b"".join(islice(self._blocks, ROWS_AT_ONCE))
                if not block:
                    return 0
                self._rest = memoryview(block)
            size = min(len(buffer), len(self._rest))
            buffer[:size] = self._rest[:size]
            self._rest = self._rest[size:]
            return size

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Let no further read begin, and wait for one under way; after an error it is cut short."""
        self._is_over = True
        if error is not None and self._reading.locked():
            self._connection.cancel_safe(timeout=CANCEL_SECONDS)
        with self._reading:
            pass
