"""Says every now and then how far a long fetch is."""

from __future__ import annotations

import logging
from collections.abc import Callable
from time import monotonic

log = logging.getLogger(__name__)

SECONDS = 10.0


class Progress:
    """Logs rows and bytes, at most once in `SECONDS`, and knows when it was told last."""

    def __init__(self, source: str, clock: Callable[[], float] = monotonic) -> None:
        """Start counting the time; the first line comes after `SECONDS`."""
        self._source = source
        self._clock = clock
        self._moved_at = clock()
        self._said_at = self._moved_at
        self._rows = self._size = 0

    def __call__(self, rows: int, size: int) -> None:
        """Take note of the rows read and the bytes written so far."""
        self._rows, self._size, self._moved_at = rows, size, self._clock()
        if self._moved_at >= self._said_at + SECONDS:
            self._said_at = self._moved_at
            log.info("%s: %s.", self._source, str(self))

    def left(self, seconds: float) -> float:
        """Return how many of so many seconds are left since it was told last."""
        return self._moved_at + seconds - self._clock()

    @property
    def rows(self) -> int:
        """Rows read so far."""
        return self._rows

    @property
    def bytes(self) -> int:
        """Bytes written so far."""
        return self._size

    def __str__(self) -> str:
        return f"{self._rows:,} rows so far, {self._size / 1e6:.1f} MB"
