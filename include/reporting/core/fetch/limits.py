"""What a request may take."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from reporting.core.fetch.broken_off import why
from reporting.errors import TransientError

if TYPE_CHECKING:
    from reporting.definition.jobs import HttpJobSource
    from reporting.definition.sources import HttpSource


@dataclass(frozen=True)
class Limits:
    """Bounds of the requests of one fetch.

    Attributes:
        connect: for opening a connection, seconds.
        read: for silence while an answer is read, seconds.
        total: for all requests together.
        deadline: when that is over, by the monotonic clock.
        max_bytes: of one answer, after unzipping.
    """

    connect: float
    read: float
    total: timedelta
    deadline: float
    max_bytes: int

    def is_over(self) -> bool:
        """Say whether the time of all requests has run out."""
        return time.monotonic() > self.deadline

    def broken(self, where: str, error: Exception) -> TransientError:
        """Return what is said of a request that broke off: that its time is over, or how.

        The exception's own text is left out: it may hold the full URL with its query.
        """
        if self.is_over():
            return self.late(where)
        return TransientError(f"{where} failed: {why(error)}.")

    def late(self, where: str) -> TransientError:
        """Return what is said of a request whose time is over."""
        return TransientError(f"{where} had not ended after {self.total}.")


def limits_of(source: HttpSource | HttpJobSource) -> Limits:
    """Return what a source says its requests may take, from now on."""
    return limits_from_now(
        source.connect_timeout, source.read_timeout, source.time_limit, source.max_bytes
    )


def limits_from_now(connect: float, read: float, total: timedelta, max_bytes: int) -> Limits:
    """Return limits whose time runs from now on."""
    return Limits(connect, read, total, time.monotonic() + total.total_seconds(), max_bytes)
