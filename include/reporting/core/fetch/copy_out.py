"""The rows of a `COPY … TO STDOUT`, as the server's client library hands them out.

psycopg's own way to read a COPY makes several Python calls for each row. This takes them from its
low-level interface, at half the processor time; what the thread waits for, others can interrupt.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from reporting.core.fetch.snapshot import CANCEL_SECONDS

if TYPE_CHECKING:
    import psycopg


class CopyOut:
    """One COPY.

    Attributes:
        sent: rows, as the server counts them; -1 before the end.
    """

    def __init__(self, connection: psycopg.Connection[Any], statement: bytes) -> None:
        """Keep what to run; nothing is asked before the first row is wanted."""
        self._connection = connection
        self._statement = statement
        self.sent = -1

    def rows(self) -> Iterator[Any]:
        """Yield the bytes of each row.

        Raises:
            psycopg.Error: what the server says of the query.
        """
        from psycopg.pq import ExecStatus

        raw = self._connection.pgconn
        self._demand(raw.exec_(self._statement), ExecStatus.COPY_OUT)
        receive = raw.get_copy_data
        while True:
            size, row = receive(0)
            if size < 0:
                break
            yield row
        ended: Any = raw.get_result()
        self._demand(ended, ExecStatus.COMMAND_OK)
        while raw.get_result() is not None:
            pass
        self.sent = ended.command_tuples or 0

    def drop(self) -> None:
        """End a COPY that nobody reads any more, so that the connection can be used again."""
        from psycopg import Error
        from psycopg.pq import TransactionStatus

        raw = self._connection.pgconn
        if raw.transaction_status != TransactionStatus.ACTIVE:
            return
        with suppress(Error):  # a connection that is gone has nothing left to end
            self._connection.cancel_safe(timeout=CANCEL_SECONDS)
            with suppress(Error):
                while raw.get_copy_data(0)[0] >= 0:
                    pass
            while raw.get_result() is not None:
                pass

    @staticmethod
    def _demand(result: Any, status: int) -> None:
        from psycopg.errors import error_from_result

        if result is None or result.status != status:
            raise error_from_result(result)


@contextmanager
def copied_out(connection: psycopg.Connection[Any], statement: bytes) -> Iterator[CopyOut]:
    """Run a COPY for the block; leaving early ends it."""
    copy = CopyOut(connection, statement)
    try:
        yield copy
    finally:
        copy.drop()
