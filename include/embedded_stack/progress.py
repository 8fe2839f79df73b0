"""One line per step, with the time since the beginning."""

import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Progress:
    """Tells a person how far the stack has come."""

    write: Callable[[str], None] = print
    begun: float = field(default_factory=time.monotonic)

    def step(self, text: str) -> None:
        """Report one step."""
        self.write(f"[{time.monotonic() - self.begun:5.1f}s] {text}")


def print_now(text: str) -> None:
    """Print a line that is seen at once even through a pipe.

    A reader that has had enough, as `head` has, ends neither a start nor a stop half way.
    """
    try:
        print(text, flush=True)
    except BrokenPipeError:
        # Also what is written at exit must not meet the closed pipe again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
