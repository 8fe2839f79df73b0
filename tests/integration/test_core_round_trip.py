"""Rows of all types come out as they went in: source, staging, frame, warehouse, file (R37)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date, datetime
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import psycopg
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg import sql

from embedded_stack.stack import Stack
from reporting.core.result import result_tables
from reporting.core.staging import Staging
from reporting.core.warehouse.schema import ensure_schema
from reporting.definition.columns import columns_from
from reporting.definition.shards import Shards
from tests.integration.column_values import LISTS, VALUES
from tests.integration.own_database import own_database
from tests.integration.postgres_fetching import (
    Connection,
    connecting,
    fetch_only,
    inputs_of,
)
from tests.integration.publishing import publish_new
from tests.integration.round_trip import (
    difference,
    expected,
    fill,
    make_table,
    query_of,
    through_csv,
)
from tests.specimens import a_report, a_run, a_table

pytestmark = pytest.mark.integration

ALL = VALUES | LISTS
DECLARED = {"id": "int64", **{word: word for word in ALL}}
NAMES = list(DECLARED)
COLUMNS = columns_from("x", DECLARED)
REPORT = a_report(tables=[a_table(columns=DECLARED)])
SOURCE = query_of(sql.Identifier("source"), NAMES)
PUBLISHED = query_of(sql.Identifier("results", "sales__totals"), NAMES)
DOCUMENTS = ("jsonb", "jsonb[]")
ROWS, FEW, RUNS = 2000, 200, 300
BY_LETTER = settings(
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture,
                           HealthCheck.data_too_large, HealthCheck.large_base_example],
)  # fmt: skip
A_ROW = st.fixed_dictionaries({word: st.none() | one for word, one in ALL.items()})


@cache
def generated_rows(count: int) -> list[dict[str, Any]]:
    """Return rows, each an example of Hypothesis with a value or NULL in every column."""
    rows: list[dict[str, Any]] = []

    @settings(BY_LETTER, max_examples=count)
    @given(A_ROW)
    def collect(row: dict[str, Any]) -> None:
        rows.append({"id": len(rows), **row})

    collect()
    return rows


@pytest.fixture(scope="module")
def source(stack: Stack) -> Iterator[str]:
    """Return a database with an empty table of all types, that is a warehouse too."""
    with own_database(stack) as dsn, psycopg.connect(dsn, autocommit=True) as connection:
        make_table(connection, COLUMNS)
        ensure_schema(connection)
        yield dsn


@pytest.fixture
def connection(source: str) -> Iterator[Connection]:
    with psycopg.connect(source, autocommit=True) as connection:
        connection.execute("SET synchronous_commit = off")  # quicker; nothing is killed here
        yield connection


def document(value: Any) -> Any:
    """Return what a jsonb says, numbers exactly; the server keeps that, and not the text."""
    if isinstance(value, list):
        return [document(element) for element in value]
    return None if value is None else json.loads(value, parse_int=Decimal, parse_float=Decimal)


def demand_same(found: pa.Table, rows: list[dict[str, Any]]) -> None:
    """Demand the rows as they were generated; of jsonb what it says."""
    wanted = expected(rows, COLUMNS)
    texts = [name for name in NAMES if name not in DOCUMENTS]
    assert difference(found.select(texts), wanted.select(texts)) == ""
    for name in DOCUMENTS:
        got = [document(value) for value in found[name].to_pylist()]
        assert got == [document(value) for value in wanted[name].to_pylist()]


def is_in_every_zone(value: Any) -> bool:
    """Say whether a value may be written into a file: the first and the last day may not."""
    if isinstance(value, list):
        return all(map(is_in_every_zone, value))
    return not isinstance(value, date) or date(1, 1, 2) <= _day(value) <= date(9999, 12, 30)


def _day(value: date) -> date:
    return value.date() if isinstance(value, datetime) else value


def test_r37_f28_f30_f31_two_thousand_rows_of_all_types_go_all_the_way(
    staging: Staging, connection: Connection, source: str, tmp_path: Path
) -> None:
    """One example is one row of 39 columns, each with a value or NULL."""
    rows = generated_rows(ROWS)
    assert len(rows) >= ROWS
    fill(connection, rows, NAMES)

    manifest = fetch_only(staging, connecting(source), SOURCE, columns=DECLARED)
    inputs = inputs_of(staging, manifest)
    staged = inputs.table("orders")
    demand_same(staged, rows)

    tables = result_tables({"totals": inputs.frame("orders")}, REPORT)
    assert difference(tables["totals"], staged) == ""

    publish_new(connection, REPORT, a_run(), tables)
    read_back = fetch_only(staging, connecting(source), PUBLISHED, columns=DECLARED)
    assert difference(inputs_of(staging, read_back).table("orders"), staged) == ""

    is_written = pa.array([all(map(is_in_every_zone, row.values())) for row in rows])
    writable = tables["totals"].filter(is_written)
    assert writable.num_rows > ROWS * 0.9
    file = through_csv(writable, COLUMNS, tmp_path / "totals.csv", "UTC")
    assert difference(file, writable) == ""


def test_shards_of_rows_of_all_types_are_the_rows(
    staging: Staging, connection: Connection, source: str
) -> None:
    rows = generated_rows(FEW)
    fill(connection, rows, NAMES)

    for by in ("id", "text"):
        manifest = fetch_only(
            staging, connecting(source), SOURCE, columns=DECLARED, shards=Shards(3, by=by)
        )
        demand_same(inputs_of(staging, manifest).table("orders").sort_by("id"), rows)


def test_undeclared_columns_are_what_their_table_says(
    staging: Staging, connection: Connection, source: str
) -> None:
    rows = generated_rows(FEW)
    fill(connection, rows, NAMES)

    manifest = fetch_only(staging, connecting(source), SOURCE, columns={})

    assert manifest.schema == COLUMNS
    demand_same(inputs_of(staging, manifest).table("orders"), rows)


@settings(BY_LETTER, max_examples=RUNS)
@given(
    drawn=st.sampled_from(sorted(ALL)).flatmap(
        lambda word: st.tuples(st.just(word), st.lists(st.none() | ALL[word], max_size=30))
    ),
)
def test_r37_any_values_of_any_type_come_back_from_source_frame_and_file(
    staging: Staging,
    connection: Connection,
    tmp_path: Path,
    drawn: tuple[str, list[Any]],
) -> None:
    """One run is one type with up to 30 values, which Hypothesis makes smaller when it fails."""
    word, values = drawn
    declared = columns_from("x", {"id": "int64 not null", "v": word})
    report = a_report(tables=[a_table(columns={"id": "int64 not null", "v": word})])
    rows = [{"id": n, word: value} for n, value in enumerate(values) if is_in_every_zone(value)]
    fill(connection, rows, ["id", word])
    query = f'SELECT id, "{word}" AS v FROM source ORDER BY id'

    manifest = fetch_only(staging, connection, query, columns={c.name: c.type for c in declared})

    inputs = inputs_of(staging, manifest)
    staged = inputs.table("orders")
    wanted = expected([{"id": row["id"], "v": row[word]} for row in rows], declared)
    if word in DOCUMENTS:
        assert document(staged["v"].to_pylist()) == document(wanted["v"].to_pylist())
    else:
        assert difference(staged, wanted) == ""
    table = result_tables({"totals": inputs.frame("orders")}, report)["totals"]
    assert difference(table, staged) == ""
    file = through_csv(table, declared, tmp_path / "v.csv", "UTC")
    assert difference(file, staged) == ""
