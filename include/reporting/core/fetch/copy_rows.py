"""Streams the rows of a COPY into an intake: the next are received while the last are staged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from reporting.core.ahead import made_ahead
from reporting.core.fetch.copy_out import copied_out
from reporting.core.fetch.csv_stream import text_options
from reporting.core.fetch.snapshot import CANCEL_SECONDS
from reporting.core.text_columns import from_text
from reporting.errors import ContractError, IntegrityError

if TYPE_CHECKING:
    import psycopg
    import pyarrow as pa

    from reporting.core.intake import Intake
    from reporting.definition.columns import Column

BLOCK_BYTES = 1024 * 1024  # larger ones are no faster, and take more memory
ROWS_AT_ONCE = 64
LONG_PIECE = 64 * 1024  # long rows must not pile up
TRUSTED = ("text", "uuid", "json", "jsonb")  # the server has checked them


def copy_into(
    intake: Intake, connection: psycopg.Connection[Any], statement: bytes, names: Sequence[str]
) -> int:
    """Take all rows of a `COPY … TO STDOUT` in CSV without a heading; return how many.

    Raises:
        ContractError: rows do not fit the declared columns.
        IntegrityError: fewer or more rows arrived than the server says it sent.
    """
    interrupt = partial(connection.cancel_safe, timeout=CANCEL_SECONDS)
    with (
        copied_out(connection, statement) as copy,
        made_ahead(row_blocks(copy.rows()), interrupt) as blocks,
    ):
        for block in blocks:
            intake.take(text_table(block, names, intake.where), from_server_text)
    if intake.seen != copy.sent:
        raise IntegrityError(
            f"{intake.where}: {intake.seen} rows arrived, the server sent {copy.sent}; "
            "nothing was committed."
        )
    return intake.seen


def from_server_text(texts: pa.Array, column: Column) -> pa.Array:
    """Return text that PostgreSQL has written as the column's type."""
    is_trusted = column.kind in TRUSTED and not column.is_list
    return texts if is_trusted else from_text(texts, column)


def row_blocks(rows: Iterator[Any]) -> Iterator[bytes]:
    """Yield rows joined to blocks of `BLOCK_BYTES` or little more.

    Args:
        rows: one item per row: the server sends each in a message of its own.
    """
    pieces: list[bytes] = []
    size, count = 0, 1
    # A few rows at a time: of many, the first have left the processor's cache before the join.
    while piece := b"".join(islice(rows, count)):
        pieces.append(piece)
        size += len(piece)
        count = 1 if len(piece) > LONG_PIECE else ROWS_AT_ONCE
        if size >= BLOCK_BYTES:
            yield b"".join(pieces)
            pieces, size = [], 0
    if pieces:
        yield b"".join(pieces)


def text_table(block: bytes, names: Sequence[str], where: str) -> pa.Table:
    """Return CSV rows as columns of text; an unquoted empty field is NULL, a quoted one is not.

    Raises:
        ContractError: the bytes are no UTF-8, as in a database without an encoding.
    """
    import pyarrow as pa
    from pyarrow import csv

    size = len(block) + 1
    try:
        return csv.read_csv(
            pa.BufferReader(block),
            csv.ReadOptions(column_names=names, block_size=size, use_threads=False),
            csv.ParseOptions(newlines_in_values=True, ignore_empty_lines=len(names) > 1),
            text_options(names),
        )
    except pa.ArrowInvalid as error:
        raise ContractError(f"{where}: {error}") from None
