"""Lines with the seconds that have passed: one when something changes, few while nothing does."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reporting.cli.console import Say

QUIET_SECONDS = 30


@dataclass
class Progress:
    """Tells what a wait is at.

    Attributes:
        say: takes each line.
        clock: seconds that only grow.
    """

    say: Say
    clock: Callable[[], float] = time.monotonic
    _started: float = field(init=False)
    _told: tuple[str, float] = field(init=False, default=("", 0.0))

    def __post_init__(self) -> None:
        self._started = self.clock()

    @property
    def elapsed(self) -> float:
        """Seconds since the wait began."""
        return self.clock() - self._started

    def tell(self, text: str) -> None:
        """Say `text` if it is new, and that it still holds after a while."""
        told, at = self._told
        if text != told:
            self._say(text)
        elif self.elapsed - at >= QUIET_SECONDS:
            self._say(f"still {text}")
        else:
            return
        self._told = (text, self.elapsed)

    def _say(self, text: str) -> None:
        self.say(f"{self.elapsed:7.1f} s  {text}")
