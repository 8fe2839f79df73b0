"""Fetching from a real PostgreSQL: any query, every row once, as the server holds it."""

from __future__ import annotations

import math
import resource
from datetime import UTC, date, datetime

import psycopg
import pytest

from reporting.core.staging import Staging
from reporting.errors import ContractError, DefinitionError
from tests.integration.postgres_fetching import (
    Connection,
    connecting,
    fetch,
    fetch_only,
    inputs_of,
    is_idle,
)

pytestmark = pytest.mark.integration

MIB = 1024 * 1024


def test_f31_null_nan_and_empty_text_stay_apart_also_in_one_column(
    staging: Staging, source_db: Connection
) -> None:
    texts = "SELECT * FROM (VALUES ('a'), (NULL), (''), ('NULL')) AS v (name)"
    floats = "SELECT v FROM (VALUES ('NaN'::float8), (NULL)) AS x (v)"

    got = fetch(staging, source_db, texts, columns={"name": "text"})
    assert got["name"].to_pylist() == ["a", None, "", "NULL"]
    nan, missing = fetch(staging, source_db, floats, columns={"v": "float64"})["v"].to_pylist()
    assert math.isnan(nan)
    assert missing is None


def test_settings_of_client_change_no_value_and_no_param(staging: Staging, database: str) -> None:
    """A session may round floats, write dates its own way, and speak another encoding."""
    options = (
        "-c DateStyle=German -c TimeZone=Asia/Shanghai -c extra_float_digits=-10"
        " -c client_encoding=LATIN1 -c standard_conforming_strings=off"
    )
    got = fetch(
        staging,
        connecting(database, options=options),
        "SELECT 0.1::float8 + 0.2 AS f, date '2024-05-01' AS d, %(name)s AS name,"
        " timestamptz '2024-05-01 16:00:00+00' AS t",
        params={"name": "é中\\"},
        columns={"f": "float64", "d": "date", "t": "timestamptz", "name": "text"},
    )

    assert got.to_pylist() == [
        {"f": 0.1 + 0.2, "d": date(2024, 5, 1), "t": datetime(2024, 5, 1, 16, tzinfo=UTC),
         "name": "é中\\"}
    ]  # fmt: skip


def test_f94_a_percent_sign_goes_with_a_bound_period(
    staging: Staging, source_db: Connection
) -> None:
    source_db.execute("CREATE TABLE t (id int, name text, at timestamptz)")
    source_db.execute(
        "INSERT INTO t VALUES (1, '10%', '2024-05-01 10:00+00'), (2, '10', '2024-05-01 10:00+00'),"
        " (3, '10% off', '2024-05-01 22:00+00'), (4, '100%', '2024-05-02 10:00+00')"
    )

    table = fetch(
        staging,
        source_db,
        "SELECT id, name FROM t WHERE name LIKE '10%%' AND name LIKE '%%\\%%%%' ESCAPE '\\'"
        " AND at >= %(period_start)s AND at < %(period_end)s;\n",
    )

    assert table["id"].to_pylist() == [1]


@pytest.mark.parametrize("name", ["007", "it's; DROP TABLE t; --", "%(id)s", "%s", "é\n", None])
def test_f25_a_param_is_bound_as_it_is(
    staging: Staging, source_db: Connection, name: str | None
) -> None:
    table = fetch(
        staging,
        source_db,
        "SELECT 1 AS id, %(name)s::text AS name -- and a comment",
        params={"name": name},
    )

    assert table["name"].to_pylist() == [name]


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        (
            "SELECT 1 AS id, %(nam)s AS name",
            ["'orders'", "missing: nam;", "allowed: %(name)s, %(period)s"],
        ),
        ("SELECT 1 AS id, 'a%' AS name", ["'orders'", "%%"]),
    ],
)
def test_a_placeholder_that_nothing_fills_is_named(
    staging: Staging, source_db: Connection, sql: str, words: list[str]
) -> None:
    with pytest.raises(DefinitionError) as fault:
        fetch(staging, source_db, sql, params={"name": "x"})

    for word in words:
        assert word in str(fault.value)
    assert is_idle(source_db)


@pytest.mark.parametrize(
    ("sql", "ids"),
    [
        ("SELECT 3 AS id UNION ALL SELECT 1 UNION ALL SELECT 2 ORDER BY id DESC", [3, 2, 1]),
        ("WITH RECURSIVE n (id) AS (VALUES (1) UNION SELECT id + 1 FROM n WHERE id < 3) TABLE n",
         [1, 2, 3]),
        ("SELECT id FROM generate_series(1, 5) AS id LIMIT 2 OFFSET 1", [2, 3]),
        ("SELECT id FROM unnest(array[2,1]) WITH ORDINALITY AS t (id, n) ORDER BY n", [2, 1]),
        ("TABLE t", [1, 2, 3]),
        ("SELECT * FROM t -- ; and )", [1, 2, 3]),
        ("SELECT * FROM t /* ) ; */ ;", [1, 2, 3]),
        ("-- first\nSELECT * FROM t\n;\n", [1, 2, 3]),
        ("SELECT id FROM t WHERE name <> ';' OR name IS NULL", [1, 2, 3]),
        ("(SELECT id FROM t)", [1, 2, 3]),
        ("SELECT id FROM t WHERE E'\\'' <> '{}' AND $$;$$ = ';'", [1, 2, 3]),
        ("SELECT id FROM t FOR SHARE", None),
    ],
)  # fmt: skip
def test_any_query_is_read_in_its_own_order(
    staging: Staging, source_db: Connection, sql: str, ids: list[int] | None
) -> None:
    source_db.execute("CREATE TABLE t (id int, name text)")
    source_db.execute("INSERT INTO t VALUES (1, NULL), (2, 'a'), (3, 'b')")

    if ids is None:  # it would lock rows, and nothing is changed at the source
        with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
            fetch(staging, source_db, sql, columns={})
        return
    assert fetch(staging, source_db, sql, columns={})["id"].to_pylist() == ids


def test_values_have_names_too(staging: Staging, source_db: Connection) -> None:
    got = fetch(staging, source_db, "VALUES (1, 'a'), (2, NULL)", columns={})

    assert got.to_pylist() == [{"column1": 1, "column2": "a"}, {"column1": 2, "column2": None}]


def test_f90_any_name_of_a_column_is_kept(staging: Staging, source_db: Connection) -> None:
    names = ['a "b"', "100%", "%s", "a.b", "a", "a.list.element", "é" * 31, "x" * 63, " ", "SELECT",
             "c0", "{}", "a\nb", "a,b", "\\"]  # fmt: skip
    quoted = ['"' + name.replace('"', '""').replace("%", "%%") + '"' for name in names]
    listed = [f"{n if n != 4 else 'array[1]'} AS {name}" for n, name in enumerate(quoted)]

    manifest = fetch_only(staging, source_db, f"SELECT {', '.join(listed)}", columns={})

    assert [column.name for column in manifest.schema] == names
    row = {name: n if n != 4 else [1] for n, name in enumerate(names)}
    inputs = inputs_of(staging, manifest)
    assert inputs.table("orders").to_pylist() == [row]
    for few in (["a.b", 'a "b"'], ["a"], ["a.list.element"]):
        assert inputs.frame("orders", few).columns.tolist() == few


def test_columns_are_staged_in_the_declared_order(staging: Staging, source_db: Connection) -> None:
    """Compute compares what is staged with what is declared, names and order."""
    manifest = fetch_only(staging, source_db, "SELECT 'a' AS name, 1 AS id")

    assert [column.name for column in manifest.schema] == ["id", "name"]
    assert inputs_of(staging, manifest).table("orders").to_pylist() == [{"id": 1, "name": "a"}]


@pytest.mark.parametrize(
    "kind", ["text", "int64", "decimal(5,2)", "timestamptz", "bytes", "json[]"]
)
def test_a_column_of_nulls_only_is_one(staging: Staging, source_db: Connection, kind: str) -> None:
    given = {"decimal(5,2)": "numeric", "int64": "int8", "bytes": "bytea"}.get(kind, kind)
    sql = f"SELECT NULL::{given} AS v FROM generate_series(1, 100000)"

    got = fetch(staging, source_db, sql, columns={"v": kind})

    assert (got.num_rows, got["v"].null_count) == (100_000, 100_000)


def test_no_rows_keep_the_columns(staging: Staging, source_db: Connection) -> None:
    table = fetch(staging, source_db, "SELECT 1 AS id, 'a' AS name WHERE false")

    assert (table.num_rows, table.schema.names) == (0, ["id", "name"])


def test_a_fetch_changes_nothing_at_the_source(staging: Staging, source_db: Connection) -> None:
    source_db.execute("CREATE TABLE t (id int)")
    source_db.execute("INSERT INTO t VALUES (1)")
    source_db.execute(
        "CREATE FUNCTION gone() RETURNS int LANGUAGE sql AS 'DELETE FROM t RETURNING 1'"
    )

    with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
        fetch(staging, source_db, "SELECT gone() AS id", columns={})
    with pytest.raises(psycopg.ProgrammingError):
        fetch(staging, source_db, "DELETE FROM t RETURNING id, 'a' AS name")
    assert source_db.execute("SELECT count(*) FROM t").fetchone() == (1,)
    assert is_idle(source_db)


def test_f64_rows_of_20_mb_each_take_the_memory_of_few(
    staging: Staging, source_db: Connection
) -> None:
    sql = f"SELECT n AS id, repeat(chr(64 + n), {20 * MIB}) AS name FROM generate_series(1, {{}}) n"
    fetch_only(staging, source_db, sql.format(3))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    manifest = fetch_only(staging, source_db, sql.format(12))

    grown_mib = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    assert manifest.rows == 12
    assert grown_mib < 60  # of 240 MiB read
    names = inputs_of(staging, manifest).table("orders")["name"]
    assert [(text[0], len(text)) for text in names.to_pylist()] == [
        (chr(64 + n), 20 * MIB) for n in range(1, 13)
    ]


def test_f64_memory_does_not_grow_with_the_rows(staging: Staging, source_db: Connection) -> None:
    """A modest look: with all buffers warm, three times the rows do not raise the peak."""
    sql = "SELECT n AS id, md5(n::text) || repeat('x', 160) AS name FROM generate_series(1, {}) n"
    fetch(staging, source_db, sql.format(600_000))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    assert fetch_only(staging, source_db, sql.format(1_800_000)).rows == 1_800_000

    grown_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown_kib < 64 * 1024  # of some 370 MiB read


@pytest.mark.parametrize("place", [1, 400_000])
def test_a_bad_row_is_named_by_its_number_and_nothing_is_committed(
    staging: Staging, source_db: Connection, place: int
) -> None:
    """In the first of many blocks, too: the rest is not waited for in vain."""
    sql = f"SELECT nullif(n, {place}) AS id, 'a' AS name FROM generate_series(1, 500000) AS n"

    with pytest.raises(ContractError, match=rf"'orders', row {place}, column 'id': NULL; allowed"):
        fetch(staging, source_db, sql)

    assert list(staging.bucket.keys(staging.run.prefix)) == []
    assert is_idle(source_db)
    assert source_db.execute("SELECT 1").fetchone() == (1,)
