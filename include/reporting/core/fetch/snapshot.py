"""One unchanging view of a database, read only, for one connection or for several."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import psycopg

Connect = Callable[[], AbstractContextManager["psycopg.Connection[Any]"]]
CANCEL_SECONDS = 30
# Role and database may have settings of their own; these decide how values are written.
SETTINGS = {
    "TimeZone": "UTC",
    "DateStyle": "ISO",
    "IntervalStyle": "iso_8601",
    "bytea_output": "hex",
    "client_encoding": "UTF8",
    "extra_float_digits": "1",  # less would round floats
}


@contextmanager
def snapshot(
    connection: psycopg.Connection[Any], time_limit: timedelta, exported: str | None = None
) -> Iterator[None]:
    """Hold a snapshot for the block.

    Args:
        connection: an autocommit connection.
        time_limit: a statement that takes longer is cancelled.
        exported: the snapshot of another connection, as `export` has named it.
    """
    from psycopg import sql
    from psycopg.pq import TransactionStatus

    limits = {
        "statement_timeout": str(int(time_limit.total_seconds() * 1000)),
        # The connection that has exported its snapshot idles while others read from it.
        "idle_in_transaction_session_timeout": "0",
    }
    with connection.transaction():
        connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        if exported is not None:
            connection.execute(sql.SQL("SET TRANSACTION SNAPSHOT {}").format(exported))
        for name, value in {**SETTINGS, **limits}.items():
            connection.execute("SELECT set_config(%s, %s, true)", (name, value))
        try:
            yield
        except BaseException:
            # Whoever was told to stop while waiting for the server leaves it at work.
            if connection.info.transaction_status == TransactionStatus.ACTIVE:
                connection.cancel_safe(timeout=CANCEL_SECONDS)
            raise


def export(connection: psycopg.Connection[Any]) -> str:
    """Return a name by which other connections see the same; valid as long as this one has it."""
    return str(_value(connection, "SELECT pg_export_snapshot()"))


def taken_at(connection: psycopg.Connection[Any]) -> str:
    """Return the instant of the snapshot in ISO format."""
    return str(_value(connection, "SELECT now()").isoformat())


def _value(connection: psycopg.Connection[Any], query: str) -> Any:
    row = connection.execute(query.encode()).fetchone()
    assert row is not None  # noqa: S101 - a SELECT without FROM gives one row
    return row[0]
