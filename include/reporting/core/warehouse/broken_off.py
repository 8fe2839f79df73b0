"""A statement that its client no longer waits for: the server is told to end it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import psycopg

CANCEL_SECONDS = 5


@contextmanager
def ended_when_broken_off(connection: psycopg.Connection[Any]) -> Iterator[None]:
    """End the session when a time limit breaks off a statement in the block.

    The statement cannot be rolled back by the client any more, as it is still under way. Left
    alone it would go on, or wait for a lock, and keep the next try waiting.
    """
    from psycopg import Error
    from psycopg.pq import TransactionStatus

    try:
        yield
    except BaseException:
        if connection.info.transaction_status == TransactionStatus.ACTIVE:
            with suppress(Error):
                connection.cancel_safe(timeout=CANCEL_SECONDS)
            connection.close()
        raise
