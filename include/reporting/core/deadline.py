"""Until when something may take its time, by the monotonic clock."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from datetime import timedelta


@dataclass(frozen=True)
class Deadline:
    """An instant after which nothing more is begun.

    Attributes:
        at: seconds of the monotonic clock.
    """

    at: float

    def is_over(self) -> bool:
        """Say whether the time is over."""
        return time.monotonic() >= self.at

    def share(self, among: int) -> Deadline:
        """Return the end of an equal share of the time that is left, now, for one of so many."""
        now = time.monotonic()
        return Deadline(now + max(0.0, self.at - now) / among)


NEVER = Deadline(math.inf)


def ends_in(limit: timedelta) -> Deadline:
    """Return the deadline of a time that begins now."""
    return Deadline(time.monotonic() + limit.total_seconds())
