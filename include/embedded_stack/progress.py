"""One line per step, with the time since the beginning."""

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
    """Print a line that is seen at once even through a pipe."""
    print(text, flush=True)
