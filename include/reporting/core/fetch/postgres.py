"""Fetches the rows of one query by COPY, in one read-only snapshot."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from reporting.core.fetch.copy_rows import copy_into
from reporting.core.fetch.describe import columns_of, describe
from reporting.core.fetch.query_values import query_values
from reporting.core.fetch.shards import read_split
from reporting.core.fetch.snapshot import Connect, export, snapshot, taken_at
from reporting.core.fetch.split import copy_statement, split
from reporting.core.intake import Intake
from reporting.errors import ContractError, DefinitionError, TransientError

if TYPE_CHECKING:
    import psycopg

    from reporting.core.run import Run
    from reporting.core.staging import Attempt
    from reporting.definition.sources import PostgresSource


def fetch_postgres(
    source: PostgresSource, connect: Connect, sql: str, run: Run, attempt: Attempt
) -> dict[str, Any]:
    """Stream the query's rows into `attempt`.

    Args:
        source: what is asked, and what its rows must be.
        connect: opens an autocommit connection; called once, or once more per shard.
        sql: the query.
        run: fills the query's placeholders.
        attempt: where the rows go; its schema is set when the source declares no columns.

    Returns:
        Facts for the manifest: `snapshot_time`, and `expected_rows` as the server counted them.

    Raises:
        ContractError: the columns are not the declared ones, rows do not fit them, or the query
            fails on its data, as when it divides by zero.
        DefinitionError: a placeholder of the query is unknown, or a percent sign is not doubled.
        TransientError: the server cancelled the query, e.g. at the source's time limit.
        IntegrityError: fewer or more rows arrived than the server says it sent.
    """
    where = f"Source {source.name!r}"
    with (
        _named(where, source),
        connect() as connection,
        snapshot(connection, source.time_limit),
    ):
        query = _bound(connection, sql, run, where)
        columns = describe(connection, query)
        attempt.schema = columns_of(source, columns)
        if source.shards is None:
            intake, statement = Intake(source, attempt), copy_statement(query, columns)
            expected = copy_into(intake, connection, statement, [c.name for c in columns])
        else:
            parts = split(source.shards, connection, query, columns, where)
            expected = read_split(source, connect, export(connection), parts, attempt)
        return {"snapshot_time": taken_at(connection), "expected_rows": expected}


@contextmanager
def _named(where: str, source: PostgresSource) -> Iterator[None]:
    """Name the source in an error of the server that says nothing but that it gave up."""
    from psycopg import DataError
    from psycopg.errors import QueryCanceled

    try:
        yield
    except QueryCanceled as error:
        raise TransientError(
            f"{where}: the server cancelled the query ({error.diag.message_primary}); "
            f"time_limit is {source.time_limit}. Nothing was committed."
        ) from None
    except DataError as error:
        raise ContractError(
            f"{where}: the query fails on its data: {error.diag.message_primary or error} "
            f"(SQLSTATE {error.sqlstate})."
        ) from error


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
