"""Splits a query into parts that have each of its rows once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from reporting.core.fetch.postgres_types import INTEGERS, ServerColumn
from reporting.errors import ContractError, choices

if TYPE_CHECKING:
    import psycopg

    from reporting.definition.shards import Shards

COPY = "COPY (\n{}\n) TO STDOUT (FORMAT csv, ENCODING 'UTF8')"
WRAPPED = "SELECT {} FROM (\n{}\n) AS query ({})"
COUNT = "SELECT count(*), min({key}), max({key}) FROM (\n{query}\n) AS query ({names})"
COUNT_ONLY = "SELECT count(*), NULL, NULL FROM (\n{query}\n) AS query"
HASH = "(hashtextextended(coalesce({key}::text, ''), 0) & 9223372036854775807) % {number} = {place}"
CASTS = {"money": "numeric"}  # written in the money of the server's locale else


@dataclass(frozen=True)
class Split:
    """A query in parts.

    Attributes:
        statements: one COPY per part; together they give each row once.
        names: the query's columns.
        rows: rows of the whole query.
    """

    statements: tuple[bytes, ...]
    names: tuple[str, ...]
    rows: int


def copy_statement(query: str, columns: Sequence[ServerColumn], condition: str = "") -> bytes:
    """Return the COPY of a query, or of the part of it for which a condition holds."""
    if not condition and not any(column.base in CASTS for column in columns):
        return COPY.format(query).encode()
    wrapped = WRAPPED.format(
        ", ".join(_expression(n, column) for n, column in enumerate(columns)),
        query,
        _aliases(columns),
    )
    return COPY.format(f"{wrapped} WHERE {condition}" if condition else wrapped).encode()


def split(
    shards: Shards,
    connection: psycopg.Connection[Any],
    query: str,
    columns: Sequence[ServerColumn],
    where: str,
) -> Split:
    """Count the query's rows and say which of them belong to which part.

    Raises:
        ContractError: the query has no such column.
    """
    names = tuple(column.name for column in columns)
    if shards.by not in names:
        raise ContractError(f"{where}: shards by column {shards.by!r}; {choices(names, shards.by)}")
    place = names.index(shards.by)
    key, by = _alias(place), columns[place]
    if by.kind in INTEGERS and not by.is_list:
        count = COUNT.format(key=key, query=query, names=_aliases(columns))
        rows, least, most = _row(connection, count)
        conditions = _ranges(key, least or 0, most or 0, shards.number)
    else:
        rows, *_ = _row(connection, COUNT_ONLY.format(query=query))
        conditions = _hashes(key, shards.number)
    statements = tuple(copy_statement(query, columns, each) for each in conditions)
    return Split(statements, names, rows)


def _hashes(key: str, number: int) -> tuple[str, ...]:
    return tuple(HASH.format(key=key, number=number, place=place) for place in range(number))


def _ranges(key: str, least: int, most: int, number: int) -> tuple[str, ...]:
    """Return ranges without an end at both sides, and NULL in the first."""
    bounds = [least + (most - least) * n // number for n in range(1, number)]
    inner = [f"{key} >= {low} AND {key} < {high}" for low, high in pairwise(bounds)]
    return (f"{key} < {bounds[0]} OR {key} IS NULL", *inner, f"{key} >= {bounds[-1]}")


def _expression(place: int, column: ServerColumn) -> str:
    cast = CASTS.get(column.base)
    return _alias(place) if cast is None else f"{_alias(place)}::{cast}{'[]' * column.is_list}"


def _aliases(columns: Sequence[ServerColumn]) -> str:
    return ", ".join(_alias(place) for place in range(len(columns)))


def _alias(place: int) -> str:
    # By place, because names of a query may be repeated or reserved.
    return f"c{place}"


def _row(connection: psycopg.Connection[Any], query: str) -> tuple[Any, ...]:
    row = connection.execute(query.encode()).fetchone()
    assert row is not None  # noqa: S101 - an aggregate gives one row
    return tuple(row)
