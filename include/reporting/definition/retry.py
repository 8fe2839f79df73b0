"""How often a step is tried, and how long it waits in between."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from reporting.definition.checked import checked
from reporting.errors import DefinitionError

MOST_TIMES = 100


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

    def __post_init__(self) -> None:
        """Refuse counts and waits that make no sense."""
        if not 0 <= self.times <= MOST_TIMES:
            raise DefinitionError(f"Retry: times={self.times}; allowed: 0 to {MOST_TIMES}.")
        if not timedelta(0) <= self.first_delay <= self.max_delay:
            raise DefinitionError(
                f"Retry: first_delay={self.first_delay}, max_delay={self.max_delay}; "
                "allowed: 0 <= first_delay <= max_delay."
            )
