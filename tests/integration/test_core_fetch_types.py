"""Every edge value of every PostgreSQL type is staged as it is, declared or not (F28, F30, F76)."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import uuid4

import psycopg
import pyarrow as pa
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo

from embedded_stack.stack import Stack
from reporting.core.arrow import arrow_type
from reporting.core.staging import Staging
from reporting.definition.columns import column_from
from tests.integration.edge_values import CASES, OWN_TYPES, Case
from tests.integration.own_database import own_database
from tests.integration.postgres_fetching import Connection, fetch, fetch_only, inputs_of

pytestmark = pytest.mark.integration

# Each of these changes how the server writes values, unless the fetch says how.
ODD = {
    "TimeZone": "America/New_York",
    "DateStyle": "German",
    "IntervalStyle": "sql_standard",
    "bytea_output": "escape",
    "extra_float_digits": "-15",
    "client_encoding": "LATIN1",
    "default_transaction_read_only": "on",
}


@pytest.fixture(scope="module")
def dsn(stack: Stack) -> Iterator[str]:
    """Return a database with types of its own, as seen by a role with odd settings."""
    role = sql.Identifier(f"odd_{uuid4().hex[:12]}")
    with own_database(stack) as plain, psycopg.connect(plain, autocommit=True) as admin:
        admin.execute(OWN_TYPES)
        admin.execute(sql.SQL("CREATE ROLE {} LOGIN PASSWORD 'odd' SUPERUSER").format(role))
        for name, value in ODD.items():
            setting = sql.SQL("ALTER ROLE {} SET {} = {}")
            admin.execute(setting.format(role, sql.Identifier(name), value))
        yield make_conninfo(plain, user=role.as_string(None).strip('"'), password="odd")
        admin.execute(sql.SQL("DROP ROLE {}").format(role))


@pytest.fixture(scope="module")
def odd(dsn: str) -> Iterator[Connection]:
    with psycopg.connect(dsn, autocommit=True) as connection:
        shown = connection.execute("SELECT '1 day'::interval::text, now()::text").fetchone()
        assert shown is not None
        assert shown[0] == "1 0:00:00"
        yield connection


def query_of(case: Case) -> str:
    """Return a query of the case's values in order, with a NULL behind them."""
    rows = [
        sql.SQL("({}, {}::{})").format(n, text, sql.SQL(case.type))
        for n, text in enumerate([*case.values, None])
    ]
    listed = sql.SQL("SELECT v FROM (VALUES {}) AS t (n, v) ORDER BY n")
    # A percent sign begins a placeholder in the query of a source.
    return listed.format(sql.SQL(", ").join(rows)).as_string(None).replace("%", "%%")


def written(values: pa.ChunkedArray | pa.Array) -> str:
    """Return values so that NaN equals NaN, and -0.0 does not equal 0.0."""
    return repr(values.to_pylist())


def expected(case: Case, kind: str) -> str:
    return written(pa.array([*case.values.values(), None], arrow_type(column_from("x", "v", kind))))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.type)
def test_f28_f30_f76_each_value_is_staged_as_it_is(
    staging: Staging, odd: Connection, case: Case
) -> None:
    query = query_of(case)

    manifest = fetch_only(staging, odd, query, columns={})

    assert [column.type for column in manifest.schema] == [case.inferred]
    inputs = inputs_of(staging, manifest)
    frame = pa.Table.from_pandas(inputs.frame("orders"), preserve_index=False)
    assert written(inputs.table("orders")["v"]) == expected(case, case.inferred)
    assert written(frame["v"]) == expected(case, case.inferred)
    for kind in (case.inferred, *case.declared):
        got = fetch(staging, odd, query, columns={"v": kind})
        assert got.schema.types == [arrow_type(column_from("x", "v", kind))]
        assert written(got["v"]) == expected(case, kind)
