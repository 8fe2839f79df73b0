"""What a declared type cannot hold is refused by source, row, column and value (F30, F33, F76)."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

import psycopg
import pytest

from embedded_stack.stack import Stack
from reporting.core.staging import Staging
from reporting.errors import ContractError
from tests.integration.own_database import SUPERUSER
from tests.integration.postgres_fetching import Connection, fetch, is_idle

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def connection(stack: Stack) -> Iterator[Connection]:
    """Return a connection that only asks for constants."""
    with psycopg.connect(stack.dsn("postgres", SUPERUSER), autocommit=True) as connection:
        yield connection


def refusal_of(staging: Staging, connection: Connection, sql: str, **columns: str) -> str:
    with pytest.raises(ContractError) as fault:
        fetch(staging, connection, sql, columns=columns)
    assert list(staging.bucket.keys(staging.run.prefix)) == []
    assert is_idle(connection)
    return str(fault.value)


@pytest.mark.parametrize(
    ("literal", "kind"),
    [
        ("'NaN'::numeric", "decimal(38,20)"), ("'Infinity'::numeric", "decimal(38,20)"),
        ("'-Infinity'::numeric", "decimal(38,20)"), ("1e-21::numeric", "decimal(38,20)"),
        ("1e18::numeric", "decimal(38,20)"), ("190011991011099099001900", "decimal(38,20)"),
        ("'0044-03-15 BC'::date", "date"), ("'infinity'::date", "date"),
        ("'10000-01-01'::date", "date"), ("'24:00'::time", "time"),
        ("'infinity'::timestamp", "timestamp"), ("'-infinity'::timestamptz", "timestamptz"),
        ("'0001-01-01 BC'::timestamp", "timestamp"), ("'294276-12-31'::timestamp", "timestamp"),
        ("'0001-01-01 00:00+01'::timestamptz", "timestamptz"),
        ("'9999-12-31 23:59:59.5-01'::timestamptz", "timestamptz"),
        ("'infinity'::interval", "interval"), ("'-infinity'::interval", "interval"),
        ("array[[1,2],[3,4]]", "int32[]"), ("'[0:1]={1,2}'::int[]", "int32[]"),
        ("'{NaN}'::numeric[]", "decimal(38,20)[]"), ("'{24:00}'::time[]", "time[]"),
        ("'{{}}'::text[]::text[] || array[['a']]", "text[]"),
    ],
)  # fmt: skip
def test_f30_f76_the_value_is_named_declared_or_not(
    staging: Staging, connection: Connection, literal: str, kind: str
) -> None:
    sql = f"SELECT NULLIF(v, NULL) AS v FROM (VALUES (1, NULL), (2, {literal})) AS t (n, v)"
    sql += " ORDER BY n"

    for columns in ({}, {"v": kind}):
        told = refusal_of(staging, connection, sql, **columns)
        assert "Source 'orders', row 2, column 'v': " in told
        assert told.endswith(f"; allowed: {kind}.")


def test_f30_more_digits_than_decimals_have_are_refused_before_any_row_is_read(
    staging: Staging, connection: Connection
) -> None:
    sql = "SELECT 1.5::numeric(50,10) AS v, pg_sleep(0)::text AS w FROM generate_series(1, 10)"

    told = refusal_of(staging, connection, sql)

    assert "'orders', column 'v': numeric(50,10); allowed: numeric of up to 38 digits" in told
    assert "Declare it as a decimal" in told
    got = fetch(staging, connection, sql, columns={"v": "decimal(38,10)", "w": "text"})
    assert got["v"].to_pylist() == [Decimal("1.5000000000")] * 10


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("SELECT 1 AS id", ["missing: name."]),
        ("SELECT 1 AS id, 'a' AS nmae", ["missing: name; added: nmae."]),
        ("SELECT 1 AS id, 'a' AS name, 2 AS more, 3 AS \"%%\"", ["added: more, %."]),
        ("SELECT 1 AS id, 'a' AS name, 'b' AS name", ["repeated: name."]),
        ("SELECT NULL AS id, 'a' AS name",
         ["changed: id (declared int64 not null, the query gives text)."]),
        ("SELECT '{}'::numeric(5,1)[] AS id, 1::float4 AS name",
         ["changed: id (declared int64 not null, the query gives numeric(5,1)[])",
          "name (declared text, the query gives real)"]),
        ("SELECT '1'::varchar(3) AS id, now() AS name",
         ["gives character varying(3))", "gives timestamp with time zone)"]),
        ("SELECT", ["missing: id, name."]),
    ],
)  # fmt: skip
def test_f33_drift_is_told_before_any_row_is_read(
    staging: Staging, connection: Connection, sql: str, words: list[str]
) -> None:
    slow = f"SELECT * FROM ({sql}) AS t WHERE pg_sleep(600) IS NULL"

    told = refusal_of(staging, connection, slow, id="int64 not null", name="text")

    assert told.startswith("Source 'orders': columns differ from the declared ones: ")
    for word in (*words, "Change `columns`"):
        assert word in told


@pytest.mark.parametrize(
    ("kind", "literal"),
    [("float64", "1::float4"), ("float64", "1::numeric"), ("float32", "1::float8"),
     ("decimal(5,2)", "1::float8"), ("text", "1"), ("text", "now()"), ("date", "now()"),
     ("timestamptz", "now()::timestamp"), ("timestamp", "now()"), ("jsonb", "'{}'::json"),
     ("bool", "1"), ("int64[]", "1"), ("int64", "array[1]"), ("bytes", "'a'::text"),
     ("uuid", "'a'::text"), ("time", "'12:00'::timetz"), ("interval", "'1'::text")],
)  # fmt: skip
def test_f30_f33_a_type_that_would_change_values_is_drift(
    staging: Staging, connection: Connection, kind: str, literal: str
) -> None:
    told = refusal_of(staging, connection, f"SELECT {literal} AS v", v=kind)

    assert f"changed: v (declared {kind}, the query gives " in told


def test_two_columns_of_one_name_and_no_columns_are_refused_also_undeclared(
    staging: Staging, connection: Connection
) -> None:
    assert "repeated: a." in refusal_of(staging, connection, "SELECT 1 AS a, 2 AS a")
    assert "the query has no columns" in refusal_of(staging, connection, "SELECT")


@pytest.mark.parametrize(("kind", "value"), [("int16", 32768), ("int32", 2**31)])
def test_f28_a_number_that_does_not_fit_a_smaller_type_is_named(
    staging: Staging, connection: Connection, kind: str, value: int
) -> None:
    told = refusal_of(staging, connection, f"SELECT {value}::int8 AS v", v=kind)

    assert f"row 1, column 'v': '{value}'; allowed: {kind}." in told
