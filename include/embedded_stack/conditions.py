"""Waiting for a condition, never for a fixed time."""

import time
from collections.abc import Callable
from typing import TypeVar

from embedded_stack.errors import StackError

Found = TypeVar("Found")
PAUSE_SECONDS = 0.1


def wait_for(
    look: Callable[[], Found | None], *, seconds: float, otherwise: Callable[[], str]
) -> Found:
    """Ask again and again until an answer that is not None comes.

    Args:
        look: gives the answer, or None while there is none.
        seconds: how long to go on asking.
        otherwise: the message of the error when time is over.

    Raises:
        StackError: when no answer came in time.
    """
    deadline = time.monotonic() + seconds
    while (found := look()) is None:
        if time.monotonic() > deadline:
            raise StackError(otherwise())
        time.sleep(PAUSE_SECONDS)
    return found
