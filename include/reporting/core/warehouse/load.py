"""Copies an Arrow table into a release, inside the publishing transaction."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from reporting.core.ahead import made_ahead
from reporting.core.warehouse.copy_text import copy_lines
from reporting.core.warehouse.refusal import refusals_named
from reporting.core.warehouse.relation import SCHEMA, rows_name
from reporting.errors import IntegrityError

if TYPE_CHECKING:
    import psycopg
    import pyarrow as pa

    from reporting.definition.tables import Table

BATCH_ROWS = 10_000
BATCH_BYTES = 4 * 1024 * 1024


def load_rows(
    connection: psycopg.Connection[Any], report: str, table: Table, data: pa.Table, release_id: int
) -> int:
    """Copy `data` as rows of the release and return the count the server confirms.

    Rows are converted batch by batch, so memory does not grow with their number.

    Raises:
        ContractError: the kept table refuses a value.
        IntegrityError: the server counts other rows than were sent.
    """
    from psycopg import sql

    statement = sql.SQL("COPY {} ({}) FROM STDIN (FORMAT text, ENCODING 'UTF8')").format(
        sql.Identifier(SCHEMA, rows_name(report, table.name)),
        sql.SQL(", ").join(map(sql.Identifier, ("release_id", *data.schema.names))),
    )
    blocks = (copy_lines(batch, release_id) for batch in batches(data))
    with connection.cursor() as cursor:
        with (
            refusals_named(report, table),
            cursor.copy(statement) as copy,
            made_ahead(blocks, _wait_for_it) as ready,
        ):
            for block in ready:
                copy.write(block)
        if cursor.rowcount != data.num_rows:
            raise IntegrityError(
                f"Table {table.name!r}: {data.num_rows} rows were sent, "
                f"the warehouse counts {cursor.rowcount}; nothing was published."
            )
    return int(data.num_rows)


def _wait_for_it() -> None:
    """Do nothing: a batch under way is made within milliseconds."""


def batches(data: pa.Table) -> Iterator[pa.Table]:
    """Yield the rows in order, few at a time, however the table is cut into chunks."""
    for start in range(0, data.num_rows, BATCH_ROWS):
        yield from _halved(data.slice(start, BATCH_ROWS))


def _halved(rows: pa.Table) -> Iterator[pa.Table]:
    if rows.nbytes <= BATCH_BYTES or rows.num_rows == 1:
        yield rows
        return
    half = rows.num_rows // 2
    yield from _halved(rows.slice(0, half))
    yield from _halved(rows.slice(half))
