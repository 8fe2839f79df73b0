"""Fetches the rows of one query by COPY, in one read-only snapshot."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

from reporting.core.fetch.copy_stream import CopyStream
from reporting.core.fetch.csv_stream import csv_batches
from reporting.errors import DefinitionError, IntegrityError, TransientError

if TYPE_CHECKING:
    import psycopg

    from reporting.core.run import Run
    from reporting.core.staging import Attempt
    from reporting.definition.sources import PostgresSource


COPY = "COPY (\n{}\n) TO STDOUT (FORMAT csv, HEADER true, ENCODING 'UTF8')"
SETTINGS = {
    "TimeZone": "UTC",
    "DateStyle": "ISO",
    "client_encoding": "UTF8",
    "extra_float_digits": "1",  # less would round floats
}


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
        DefinitionError: a placeholder of the query is unknown, or a percent sign is not doubled.
        TransientError: the server cancelled the query, e.g. at the source's time limit.
        IntegrityError: fewer or more rows arrived than the server says it sent.
    """
    where = f"Source {source.name!r}"
    with _named(where, source), connection.transaction(), connection.cursor() as cursor:
        snapshot_time = _open_snapshot(cursor, source)
        statement = COPY.format(_bound(connection, sql, run, where))
        with cursor.copy(statement.encode()) as copy, CopyStream(connection, iter(copy)) as stream:
            buffered = cast("Any", io.BufferedReader(stream))
            for batch in csv_batches(buffered, source.schema, where):
                attempt.writer.write(batch)
        expected = cursor.rowcount
    if attempt.writer.rows != expected:
        raise IntegrityError(
            f"{where}: {attempt.writer.rows} rows arrived, "
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


@contextmanager
def _named(where: str, source: PostgresSource) -> Iterator[None]:
    """Name the source in an error of the server that says nothing but that it gave up."""
    from psycopg.errors import QueryCanceled

    try:
        yield
    except QueryCanceled as error:
        raise TransientError(
            f"{where}: the server cancelled the query ({error.diag.message_primary}); "
            f"time_limit is {source.time_limit}. Nothing was committed."
        ) from None


def _open_snapshot(cursor: psycopg.Cursor[Any], source: PostgresSource) -> str:
    limit_ms = int(source.time_limit.total_seconds() * 1000)
    cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
    # Role and database may have settings of their own; these decide how values are written.
    for name, value in {**SETTINGS, "statement_timeout": str(limit_ms)}.items():
        cursor.execute("SELECT set_config(%s, %s, true)", (name, value))
    row = cursor.execute("SELECT now()").fetchone()
    return str(row[0].isoformat()) if row else ""


def _bound(connection: psycopg.Connection[Any], sql: str, run: Run, where: str) -> str:
    import psycopg

    text, values = sql.strip().rstrip(";"), query_values(run)
    try:
        return psycopg.ClientCursor(connection).mogrify(text, values)
    except psycopg.ProgrammingError as error:
        known = ", ".join(f"%({name})s" for name in values)
        raise DefinitionError(
            f"{where}: query: {error}; allowed: {known}, and %% for a plain percent sign."
        ) from None
