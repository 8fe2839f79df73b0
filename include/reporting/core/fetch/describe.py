"""Asks the server what columns a query has, before the first row is read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reporting.core.fetch.drift import check_drift
from reporting.core.fetch.postgres_types import ServerColumn
from reporting.definition.columns import MAX_PRECISION, column_from
from reporting.errors import ContractError, DefinitionError

if TYPE_CHECKING:
    import psycopg

    from reporting.definition.columns import Column
    from reporting.definition.sources import PostgresSource

# No row is read: a limit of 0 is known before anything is.
NO_ROWS = "SELECT * FROM (\n{}\n) AS described LIMIT 0"
TYPES = """
WITH RECURSIVE beneath AS (
    SELECT place, 0 AS depth, type AS oid, modifier, false AS is_list
    FROM unnest(%(types)s::oid[], %(modifiers)s::int[]) WITH ORDINALITY AS a (type, modifier, place)
    UNION ALL
    SELECT place, depth + 1, coalesce(element.oid, domain.typbasetype),
        CASE WHEN domain.typtypmod >= 0 THEN domain.typtypmod ELSE modifier END,
        is_list OR element.oid IS NOT NULL
    FROM beneath
    LEFT JOIN pg_type AS domain ON domain.oid = beneath.oid AND domain.typtype = 'd'
    LEFT JOIN pg_type AS element ON element.typarray = beneath.oid AND NOT is_list
        AND element.typdelim = ','
    WHERE domain.oid IS NOT NULL OR element.oid IS NOT NULL
)
SELECT DISTINCT ON (place)
    format_type((%(types)s::oid[])[place], (%(modifiers)s::int[])[place]),
    CASE WHEN typnamespace <> 'pg_catalog'::regnamespace
        THEN typnamespace::regnamespace || '.' ELSE '' END || typname,
    modifier, is_list
FROM beneath JOIN pg_type AS t ON t.oid = beneath.oid ORDER BY place, depth DESC
"""


def describe(connection: psycopg.Connection[Any], query: str) -> tuple[ServerColumn, ...]:
    """Return the columns of a query in order."""
    described = connection.execute(NO_ROWS.format(query).encode())
    result, names = described.pgresult, [column.name for column in described.description or ()]
    assert result is not None  # noqa: S101 - every executed query has one
    numbers = range(len(names))
    oids, modifiers = [result.ftype(n) for n in numbers], [result.fmod(n) for n in numbers]
    rows = connection.execute(TYPES, {"types": oids, "modifiers": modifiers}).fetchall()
    return tuple(ServerColumn(name, *row) for name, row in zip(names, rows, strict=True))


def columns_of(source: PostgresSource, given: tuple[ServerColumn, ...]) -> tuple[Column, ...]:
    """Return the columns as which the query is read: the declared ones, or what it has.

    Raises:
        ContractError: they are not the declared ones, or cannot be kept and were not declared.
    """
    where = f"Source {source.name!r}"
    if not source.columns:
        return _inferred(where, given)
    declared = {column.name: column for column in source.schema}
    changed = [
        f"{column.name} (declared {declared[column.name].type}, the query gives {column.type})"
        for column in given
        if column.name in declared and not column.may_be(declared[column.name])
    ]
    check_drift(where, source.schema, [column.name for column in given], changed)
    return source.schema


def _inferred(where: str, given: tuple[ServerColumn, ...]) -> tuple[Column, ...]:
    names = [column.name for column in given]
    if not names:
        raise ContractError(f"{where}: the query has no columns; allowed: at least one.")
    if len(set(names)) < len(names):
        check_drift(where, [column.inferred for column in given], names)
    for column in given:
        if column.inferred.precision > MAX_PRECISION:
            raise ContractError(
                f"{where}, column {column.name!r}: {column.type}; allowed: numeric of up to "
                f"{MAX_PRECISION} digits. Declare it as a decimal that holds its values."
            )
    try:
        return tuple(column_from(where, c.name, c.inferred.type) for c in given)
    except DefinitionError as error:  # a name that no column may have
        raise ContractError(str(error)) from None
