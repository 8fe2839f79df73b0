"""Does a whole transaction again that the server broke off because of another one."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")

TRIES = 5
FIRST_WAIT, LONGEST_WAIT = 0.1, 2.0  # seconds; the wait is by chance up to twice the last

log = logging.getLogger(__name__)


def despite_conflicts(transaction: Callable[[], Result]) -> Result:
    """Return what the transaction returns, done again when it deadlocks or cannot be serialised.

    After the last try the server's error is raised as it is.

    Args:
        transaction: begins and commits one, and may be done twice with the result of once.
    """
    from psycopg.errors import DeadlockDetected, SerializationFailure
    from tenacity import (
        Retrying,
        before_sleep_log,
        retry_if_exception_type,
        stop_after_attempt,
        wait_random_exponential,
    )

    again = Retrying(
        retry=retry_if_exception_type((DeadlockDetected, SerializationFailure)),
        stop=stop_after_attempt(TRIES),
        # By chance: two that met once must not meet again.
        wait=wait_random_exponential(FIRST_WAIT, LONGEST_WAIT),
        before_sleep=before_sleep_log(log, logging.WARNING),
        reraise=True,
    )
    return again(transaction)
