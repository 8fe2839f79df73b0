"""How often a step is tried, and how long it waits in between."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from math import ceil

from reporting.definition.checked import checked
from reporting.errors import DefinitionError

MOST_TIMES = 100
GROWTH = 2
UNCAPPED = 24 * 60 * 60.0  # seconds, where `max_delay` is none


@checked
@dataclass(frozen=True)
class Retry:
    """Exponential back-off with jitter and a cap.

    Attributes:
        times: further tries after the first.
        first_delay: wait before the second try; each next wait is twice as long.
        max_delay: no wait is longer than this.
    """

    times: int = 3
    first_delay: timedelta = timedelta(seconds=20)
    max_delay: timedelta = timedelta(minutes=10)

    def wait_after(self, tries: int) -> tuple[timedelta, timedelta]:
        """Return the least and the most that is waited after so many tries."""
        # As Airflow reckons: whole seconds, at least one, and jitter up to as much again.
        least = max(ceil(self.first_delay.total_seconds() * GROWTH ** (tries - 1)), 1)
        cap = self.max_delay.total_seconds() or UNCAPPED
        return timedelta(seconds=min(least, cap)), timedelta(seconds=min(GROWTH * least, cap))

    def __post_init__(self) -> None:
        """Refuse counts and waits that make no sense."""
        if not 0 <= self.times <= MOST_TIMES:
            raise DefinitionError(f"Retry: times={self.times}; allowed: 0 to {MOST_TIMES}.")
        if not timedelta(0) <= self.first_delay <= self.max_delay:
            raise DefinitionError(
                f"Retry: first_delay={self.first_delay}, max_delay={self.max_delay}; "
                "allowed: 0 <= first_delay <= max_delay."
            )
