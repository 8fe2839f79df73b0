"""How long to wait between two looks at a job, and when it no longer moves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reporting.core.service.job import JobLook

GROWTH = 1.5
DONE, FAILED, STALLED, LATE, REFUSED = "done", "failed", "stalled", "late", "refused"
LOST = "lost"  # the connection was; what is waited for may be, too


@dataclass(frozen=True)
class Patience:
    """What a source says of waiting, all in seconds.

    Attributes:
        first_pause: between the first two looks.
        longest_pause: between any two.
        stalled_after: without a sign of progress.
        until: instant by the wall clock at which waiting ends.
    """

    first_pause: float
    longest_pause: float
    stalled_after: float
    until: float


class Watch:
    """Judges one look after the other; times are instants in seconds that the caller gives."""

    def __init__(self, patience: Patience, now: float) -> None:
        """Start watching."""
        self._patience = patience
        self._pause = patience.first_pause
        self._sign: str | None = None
        self._moved_at = now

    def judge(self, look: JobLook | None, now: float) -> str | None:
        """Return how the waiting ends, or None while it goes on.

        Args:
            look: what was seen; None when no answer came.
            now: when.
        """
        if look is not None and (look.is_done or look.is_failed):
            return DONE if look.is_done else FAILED
        if look is not None:
            self.note(look.sign, now)
        return self.over(now)

    def note(self, sign: str, now: float) -> None:
        """Take a sign of progress; one that is as before is none."""
        if sign != self._sign:
            self._sign, self._moved_at = sign, now

    def over(self, now: float) -> str | None:
        """Return why it is no use to wait any longer, or None."""
        if now >= self._patience.until:
            return LATE
        return STALLED if now - self._moved_at >= self._patience.stalled_after else None

    def pause(self, now: float) -> float:
        """Return how long to wait before the next look; never over the end."""
        pause = self._pause
        self._pause = min(pause * GROWTH, self._patience.longest_pause)
        return max(min(pause, self._patience.until - now), 0.0)
