"""Whatever a column holds comes back from the view as the same values, in lists too (R37)."""

from __future__ import annotations

import json
from decimal import Decimal
from itertools import count
from typing import Any

import psycopg
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg import sql

from reporting.core.arrow import arrow_schema
from reporting.core.text_columns import from_text
from reporting.definition.columns import Column
from tests.integration.column_values import LISTS, VALUES
from tests.integration.publishing import publish_new
from tests.specimens import a_report, a_run, a_table

pytestmark = pytest.mark.integration

Connection = psycopg.Connection[Any]
ALL = VALUES | LISTS
TABLE = a_table(columns={"id": "int64", **{word: word for word in ALL}})
REPORT = a_report(tables=[TABLE])
COLUMNS = {column.name: column for column in TABLE.schema}
A_COLUMN = st.sampled_from(sorted(ALL)).flatmap(
    lambda word: st.tuples(st.just(word), st.lists(st.none() | ALL[word], min_size=1, max_size=20))
)
RUNS = count()


@pytest.fixture
def odd_warehouse(warehouse: Connection) -> Connection:
    """Return a warehouse whose role reads and writes values in its own way."""
    for setting in ("DateStyle = German", "IntervalStyle = sql_standard", "array_nulls = off"):
        warehouse.execute(f"SET {setting}")
    warehouse.execute("SET synchronous_commit = off")  # quicker; nothing is killed here
    return warehouse


def read(connection: Connection, column: Column) -> pa.Array:
    """Return the column of the current release as the server writes it, in the order of the ids."""
    statement = sql.SQL("COPY (SELECT {} FROM results.sales__totals ORDER BY id) TO STDOUT").format(
        sql.Identifier(column.name)
    )
    with connection.transaction(), connection.cursor() as cursor:
        for setting in ("DateStyle = ISO", "IntervalStyle = iso_8601", "TimeZone = 'UTC'"):
            cursor.execute(f"SET LOCAL {setting}")
        with cursor.copy(statement) as copy:
            texts = pa.array([row[0] for row in copy.rows()], pa.string())
    return from_text(texts, column)


def meant(column: Column, values: pa.Array) -> Any:
    """Return the values so that only equal ones compare as such: NaN, and -0.0 told from 0.0."""
    got = values.to_pylist()
    return [document(value) for value in got] if column.kind == "jsonb" else repr(got)


def document(value: Any) -> Any:
    """Return what a jsonb says, numbers exactly; the server keeps that, and not the text."""
    if isinstance(value, list):
        return [document(element) for element in value]
    return None if value is None else json.loads(value, parse_int=Decimal, parse_float=Decimal)


@settings(
    max_examples=600,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(drawn=A_COLUMN)
def test_every_value_of_every_kind_comes_back(
    odd_warehouse: Connection, drawn: tuple[str, list[Any]]
) -> None:
    word, values = drawn
    rows = [{"id": number, word: value} for number, value in enumerate(values)]
    table = pa.Table.from_pylist(rows, arrow_schema(TABLE.schema))
    publish_new(odd_warehouse, REPORT, a_run(run_id=f"run_{next(RUNS)}"), {"totals": table})

    column = COLUMNS[word]
    got = read(odd_warehouse, column)

    assert meant(column, got) == meant(column, table[word])
