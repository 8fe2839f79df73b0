"""The way of a row from a source to a reader: each step with what it gives back."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
from psycopg import sql

from reporting.core.array_text import list_text
from reporting.core.arrow import arrow_schema
from reporting.core.export.csv_file import write_csv
from reporting.core.export.formula_guard import unguarded
from reporting.core.fetch.csv_stream import csv_tables
from reporting.core.fit import fit
from reporting.core.text_columns import from_text
from reporting.core.warehouse.relation import sql_type
from reporting.definition.columns import Column, columns_from
from tests.integration.postgres_fetching import Connection

GUARDED = ("text", "json", "jsonb", "interval", "uuid")


def postgres_text(value: Any) -> str | None:
    """Write a value as PostgreSQL reads it."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, list):
        return list_text([postgres_text(each) for each in value])
    if isinstance(value, bytes):
        return rf"\x{value.hex()}"
    if isinstance(value, float):
        return "NaN" if math.isnan(value) else repr(value)
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def make_table(connection: Connection, columns: Sequence[Column]) -> None:
    """Make a table `source` whose columns are of the types that the declared ones stand for."""
    listed = sql.SQL(", ").join(
        sql.SQL("{} {}").format(sql.Identifier(c.name), sql.SQL(sql_type(c))) for c in columns
    )
    connection.execute(sql.SQL("CREATE UNLOGGED TABLE source ({})").format(listed))


def fill(connection: Connection, rows: Iterable[Mapping[str, Any]], names: Sequence[str]) -> None:
    """Put the rows into the table `source`, in place of those that are there."""
    connection.execute("TRUNCATE source")
    listed = sql.SQL(", ").join(map(sql.Identifier, names))
    statement = sql.SQL("COPY source ({}) FROM STDIN").format(listed)
    with connection.cursor() as cursor, cursor.copy(statement) as copy:
        for row in rows:
            copy.write_row([postgres_text(row[name]) for name in names])


def query_of(relation: sql.Identifier, names: Sequence[str]) -> str:
    """Return the query of all rows, by their ids."""
    listed = sql.SQL(", ").join(map(sql.Identifier, names))
    query = sql.SQL("SELECT {} FROM {} ORDER BY id").format(listed, relation)
    return query.as_string(None).replace("%", "%%")


def through_csv(table: pa.Table, columns: tuple[Column, ...], path: Path, zone: str) -> pa.Table:
    """Return the table as it is after it was a CSV file."""
    assert write_csv(table, path, timezone=zone) == table.num_rows
    malformed: list[Any] = []
    plain = columns_from("x", {unguarded(c.name): c.type for c in columns})
    with path.open("rb") as stream:
        none = pa.schema([(c.name, pa.string()) for c in plain]).empty_table()
        texts = pa.concat_tables(
            [none, *(t.select(none.schema.names) for t in csv_tables(stream, plain, "", malformed))]
        )
    safe = [
        _unguarded(texts.column(c.name)) if _may_be_guarded(c) else texts.column(c.name)
        for c in columns
    ]
    made, refused = fit(pa.table(safe, names=list(texts.schema.names)), columns, from_text)
    assert (malformed, refused) == ([], [])
    return made


def _may_be_guarded(column: Column) -> bool:
    return column.kind in GUARDED and not column.is_list


def _unguarded(texts: pa.ChunkedArray) -> pa.Array:
    return pa.array([None if text is None else unguarded(text) for text in texts.to_pylist()],
                    pa.string())  # fmt: skip


def expected(rows: Sequence[Mapping[str, Any]], columns: tuple[Column, ...]) -> pa.Table:
    """Return the rows as the table that is to come out everywhere."""
    return pa.Table.from_pylist([dict(row) for row in rows], arrow_schema(columns))


def difference(found: pa.Table, wanted: pa.Table) -> str:
    """Name the first value that differs; NaN equals NaN, and -0.0 does not equal 0.0."""
    if found.schema != wanted.schema:
        return f"schema {found.schema} instead of {wanted.schema}"
    if found.num_rows != wanted.num_rows:
        return f"{found.num_rows} rows instead of {wanted.num_rows}"
    for name in wanted.schema.names:
        pairs = zip(found.column(name).to_pylist(), wanted.column(name).to_pylist(), strict=True)
        for place, (got, meant) in enumerate(pairs):
            if repr(got) != repr(meant):
                return f"column {name!r}, row {place}: {got!r} instead of {meant!r}"
    return ""
