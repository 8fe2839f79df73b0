"""Copies an Arrow table into a release, inside the publishing transaction."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from reporting.core.warehouse.relation import SCHEMA, rows_name
from reporting.errors import IntegrityError

if TYPE_CHECKING:
    import psycopg
    import pyarrow as pa

    from reporting.definition.tables import Table

BATCH_ROWS = 50_000


def load_rows(
    connection: psycopg.Connection[Any], report: str, table: Table, data: pa.Table, release_id: int
) -> int:
    """Copy `data` as rows of the release and return the count the server confirms.

    Raises:
        IntegrityError: the server counts other rows than were sent.
    """
    from psycopg import sql

    statement = sql.SQL("COPY {} ({}) FROM STDIN (FORMAT csv, ENCODING 'UTF8')").format(
        sql.Identifier(SCHEMA, rows_name(report, table.name)),
        sql.SQL(", ").join(map(sql.Identifier, ("release_id", *data.schema.names))),
    )
    with connection.cursor() as cursor:
        with cursor.copy(statement) as copy:
            for batch in data.to_batches(max_chunksize=BATCH_ROWS):
                copy.write(_csv(batch, release_id))
        if cursor.rowcount != data.num_rows:
            raise IntegrityError(
                f"Table {table.name!r}: {data.num_rows} rows were sent, "
                f"the warehouse counts {cursor.rowcount}; nothing was published."
            )
    return int(data.num_rows)


def _csv(batch: pa.RecordBatch, release_id: int) -> bytes:
    """Return rows as CSV: NULL is an unquoted empty field, empty text a quoted one."""
    import pyarrow as pa
    from pyarrow import csv

    ids = pa.array([release_id] * batch.num_rows, pa.int64())
    numbered = pa.table([ids, *batch.columns], names=["release_id", *batch.schema.names])
    sink = io.BytesIO()
    options = csv.WriteOptions(include_header=False, quoting_style="all_valid")
    csv.write_csv(numbered, sink, options)
    return sink.getvalue()
