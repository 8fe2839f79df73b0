"""Where the command line writes: plain lines, each out at once, so that CI logs keep up."""

from __future__ import annotations

import sys
from collections.abc import Callable

Say = Callable[[str], None]


def say(text: str) -> None:
    """Write what was asked for."""
    print(text, flush=True)


def say_aside(text: str) -> None:
    """Write progress and errors, apart from what a program may read."""
    print(text, file=sys.stderr, flush=True)
