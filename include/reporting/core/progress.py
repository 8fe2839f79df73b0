"""Says every now and then how far a long fetch is."""

from __future__ import annotations

import logging
from collections.abc import Callable
from time import monotonic

log = logging.getLogger(__name__)

SECONDS = 10.0


class Progress:
    """Logs rows and bytes, at most once in `SECONDS`."""

    def __init__(self, source: str, clock: Callable[[], float] = monotonic) -> None:
        """Start counting the time; the first line comes after `SECONDS`."""
        self._source = source
        self._clock = clock
        self._next = clock() + SECONDS

    def __call__(self, rows: int, size: int) -> None:
        """Take note of the rows read and the bytes written so far."""
        if self._clock() >= self._next:
            self._next = self._clock() + SECONDS
            log.info("%s: %s rows so far, %.1f MB.", self._source, f"{rows:,}", size / 1e6)
