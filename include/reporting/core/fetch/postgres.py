"""Fetches the rows of one query by COPY, in one read-only snapshot."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any, cast

from reporting.core.fetch.csv_stream import csv_batches
from reporting.errors import IntegrityError

if TYPE_CHECKING:
    from collections.abc import Iterator

    import psycopg

    from reporting.core.run import Run
    from reporting.core.staging import Attempt
    from reporting.definition.sources import PostgresSource


def fetch_postgres(
    source: PostgresSource,
    connection: psycopg.Connection[Any],
    sql: str,
    run: Run,
    attempt: Attempt,
) -> dict[str, Any]:
    """Stream the query's rows into `attempt`.

    Returns:
        Facts for the manifest: `snapshot_time`, and `expected_rows` as the server counted them.

    Raises:
        ContractError: rows do not fit the declared columns.
        IntegrityError: fewer or more rows arrived than the server says it sent.
    """
    with connection.transaction(), connection.cursor() as cursor:
        snapshot_time = _open_snapshot(cursor, source)
        statement = _bound(connection, sql, run)
        with cursor.copy(f"COPY (\n{statement}\n) TO STDOUT (FORMAT csv, HEADER true)") as copy:
            stream = cast("Any", io.BufferedReader(_CopyStream(iter(copy))))
            for batch in csv_batches(stream, source.schema, f"Source {source.name!r}"):
                attempt.writer.write(batch)
        expected = cursor.rowcount
    if attempt.writer.rows != expected:
        raise IntegrityError(
            f"Source {source.name!r}: {attempt.writer.rows} rows arrived, "
            f"the server sent {expected}; nothing was committed. Clear {source.task_id}."
        )
    return {"snapshot_time": snapshot_time, "expected_rows": expected}


def query_values(run: Run) -> dict[str, Any]:
    """Return what a query may refer to: the period and every param."""
    period = run.period
    built_in = {
        "period": period.key,
        "period_start": period.start,
        "period_end": period.end,
    }
    return {**run.params, **built_in}


def _open_snapshot(cursor: psycopg.Cursor[Any], source: PostgresSource) -> str:
    limit_ms = int(source.time_limit.total_seconds() * 1000)
    cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
    cursor.execute("SELECT set_config('TimeZone', 'UTC', true)")
    cursor.execute("SELECT set_config('DateStyle', 'ISO', true)")
    cursor.execute("SELECT set_config('statement_timeout', %s, true)", (str(limit_ms),))
    row = cursor.execute("SELECT now()").fetchone()
    return str(row[0].isoformat()) if row else ""


def _bound(connection: psycopg.Connection[Any], sql: str, run: Run) -> str:
    import psycopg

    text = sql.strip().rstrip(";")
    return psycopg.ClientCursor(connection).mogrify(text, query_values(run))


class _CopyStream(io.RawIOBase):
    """The blocks of a running COPY as a readable stream."""

    def __init__(self, blocks: Iterator[Any]) -> None:
        super().__init__()
        self._blocks = blocks
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._rest:
            block = next(self._blocks, None)
            if block is None:
                return 0
            self._rest = memoryview(block)
        size = min(len(buffer), len(self._rest))
        buffer[:size] = self._rest[:size]
        self._rest = self._rest[size:]
        return size
