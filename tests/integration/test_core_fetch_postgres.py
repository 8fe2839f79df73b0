"""Fetching from a real PostgreSQL: every value as the server holds it, or an error by name."""

from __future__ import annotations

import math
import resource
from contextlib import nullcontext
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from functools import partial
from threading import Thread
from typing import Any

import psycopg
import pyarrow as pa
import pytest

from embedded_stack.conditions import wait_for
from reporting.core.fetch.postgres import fetch_postgres
from reporting.core.inputs import read_part
from reporting.core.staging import Staging
from reporting.errors import ContractError, DefinitionError, TransientError
from tests.specimens import a_run, a_source

pytestmark = pytest.mark.integration

Connection = psycopg.Connection[Any]
TEXTS = ["", None, "NULL", "\\N", "\\.", "\t", "\n", "a\n\\.\nb", '"', "'", ",", "\r\n", "NaN",
         "NA", "é\U0001f600", " ", "\ufeff", "$$", "%"]  # fmt: skip


def fetch(
    staging: Staging, connection: Connection, sql: str, *, params: Any = None, **source: Any
) -> pa.Table:
    """Fetch, commit and read back."""
    declared = a_source(**source)
    with staging.attempt("orders", declared.schema) as attempt:
        facts = fetch_postgres(
            declared, partial(nullcontext, connection), sql, a_run(params=params), attempt
        )
        manifest = attempt.commit(facts)
    assert facts["expected_rows"] == manifest.rows
    parts = [read_part(staging.bucket, part, None, "fetch") for part in manifest.parts]
    return pa.concat_tables(parts)


def is_idle(connection: Connection) -> bool:
    return connection.info.transaction_status == psycopg.pq.TransactionStatus.IDLE


def test_f31_f62_texts_come_as_they_are(staging: Staging, source_db: Connection) -> None:
    source_db.execute("CREATE TABLE t (id int, name text)")
    with source_db.cursor() as cursor:
        cursor.executemany("INSERT INTO t VALUES (%s, %s)", list(enumerate(TEXTS)))

    table = fetch(staging, source_db, "SELECT id, name FROM t ORDER BY id")

    assert table["name"].to_pylist() == TEXTS
    assert is_idle(source_db)


def test_a_null_in_a_source_of_one_column_is_a_row(staging: Staging, source_db: Connection) -> None:
    sql = "SELECT * FROM (VALUES ('a'), (NULL), ('')) AS v (name)"

    assert fetch(staging, source_db, sql, columns={"name": "text"})["name"].to_pylist() == [
        "a", None, "",
    ]  # fmt: skip


VALUES: list[tuple[str, str, list[Any]]] = [
    ("int64", "bigint", [-(2**63), 2**63 - 1, 9007199254740993, None]),
    ("int32", "integer", [-(2**31), 2**31 - 1, None]),
    ("decimal(20,6)", "numeric(20,6)",
     [Decimal("12345678901234.567891"), Decimal("-0.005"), None]),
    ("decimal(38,10)", "numeric", [Decimal("1e27"), Decimal("0.0000000001")]),
    ("float64", "float8", [0.1, 1e-300, 1.7976931348623157e308, math.inf, -math.inf, None]),
    ("bool", "boolean", [True, False, None]),
    ("date", "date", [date(1, 1, 1), date(1899, 12, 31), date(9999, 12, 31), None]),
    ("timestamp", "timestamp", [datetime(2024, 3, 31, 2, 30, 0, 1), None]),  # noqa: DTZ001
    ("timestamptz", "timestamptz",
     [datetime(2024, 10, 27, 0, 30, 0, 123456, UTC), datetime(2024, 10, 27, 1, 30, tzinfo=UTC)]),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "sql_type", "values"), VALUES, ids=[v[0] for v in VALUES])
def test_values_are_exact(
    staging: Staging, source_db: Connection, kind: str, sql_type: str, values: list[Any]
) -> None:
    """R37, F28, F30, F76."""
    source_db.execute(f"CREATE TABLE t (id serial, v {sql_type})")
    with source_db.cursor() as cursor:
        cursor.executemany("INSERT INTO t (v) VALUES (%s)", [(value,) for value in values])

    got = fetch(staging, source_db, "SELECT v FROM t ORDER BY id", columns={"v": kind})

    assert got["v"].to_pylist() == values


def test_f31_nan_is_not_null(staging: Staging, source_db: Connection) -> None:
    sql = "SELECT v FROM (VALUES ('NaN'::float8), (NULL)) AS x (v)"

    nan, missing = fetch(staging, source_db, sql, columns={"v": "float64"})["v"].to_pylist()

    assert math.isnan(nan)
    assert missing is None


def test_settings_of_role_and_client_change_no_value(staging: Staging, database: str) -> None:
    """A role may round floats, write dates its own way, and speak another encoding."""
    options = (
        "-c DateStyle=German -c TimeZone=Asia/Shanghai -c extra_float_digits=-10"
        " -c client_encoding=LATIN1"
    )
    with psycopg.connect(database, autocommit=True, options=options) as connection:
        got = fetch(
            staging,
            connection,
            "SELECT 0.1::float8 + 0.2 AS f, date '2024-05-01' AS d, %(name)s AS name,"
            " timestamptz '2024-05-01 16:00:00+00' AS t",
            params={"name": "é"},
            columns={"f": "float64", "d": "date", "t": "timestamptz", "name": "text"},
        )

    assert got.to_pylist() == [
        {"f": 0.1 + 0.2, "d": date(2024, 5, 1), "t": datetime(2024, 5, 1, 16, tzinfo=UTC),
         "name": "é"}
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
    ("sql", "words"),
    [
        ("SELECT 1 AS id", ["missing: name"]),
        ("SELECT 1 AS id WHERE false", ["missing: name"]),
        ("SELECT 1 AS id, 'a' AS name, 2 AS more", ["not declared: more"]),
        ("SELECT 1 AS id, 'a' AS name, 'b' AS name", ["repeated: name"]),
        ("SELECT 'n/a' AS id, 'a' AS name", ["n/a", "int64"]),
        ("SELECT 1.5 AS id, 'a' AS name", ["1.5"]),
        ("SELECT NULL AS id, 'a' AS name", ["column 'id', row 1", "NULL", "int64 not null"]),
        # the fault is in the first of many blocks: the rest must not be waited for in vain
        ("SELECT NULL AS id, repeat('x', 100) AS name FROM generate_series(1, 500000)", ["row 1"]),
        ("SELECT nullif(n, 400000) AS id, 'a' AS name FROM generate_series(1, 500000) AS n",
         ["row 400000"]),
    ],
)  # fmt: skip
def test_columns_that_differ_are_named_and_nothing_is_committed(
    staging: Staging, source_db: Connection, sql: str, words: list[str]
) -> None:
    with pytest.raises(ContractError) as fault:
        fetch(staging, source_db, sql)

    for word in (*words, "'orders'"):
        assert word in str(fault.value)
    assert list(staging.bucket.keys(staging.run.prefix)) == []
    assert is_idle(source_db)
    assert source_db.execute("SELECT 1").fetchone() == (1,)


def test_a_slow_server_does_not_hold_up_a_fetch_that_has_failed(
    staging: Staging, source_db: Connection
) -> None:
    """The reader is ahead and waits for a row that takes a minute; the fetch ends all the same."""
    sql = (
        "SELECT CASE WHEN n = 1 THEN NULL ELSE n END AS id, CASE WHEN n < 300000"
        " THEN repeat('x', 100) ELSE pg_sleep(60)::text END AS name"
        " FROM generate_series(1, 300000) AS n"
    )

    with pytest.raises(ContractError, match="row 1"):
        fetch(staging, source_db, sql, time_limit=timedelta(minutes=5))
    assert is_idle(source_db)
    assert source_db.execute("SELECT 1").fetchone() == (1,)


def test_no_rows_keep_the_columns(staging: Staging, source_db: Connection) -> None:
    table = fetch(staging, source_db, "SELECT 1 AS id, 'a' AS name WHERE false")

    assert (table.num_rows, table.schema.names) == (0, ["id", "name"])


def test_a_fetch_changes_nothing_at_the_source(staging: Staging, source_db: Connection) -> None:
    source_db.execute("CREATE TABLE t (id int)")
    source_db.execute("INSERT INTO t VALUES (1)")

    with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
        fetch(staging, source_db, "DELETE FROM t RETURNING id, 'a' AS name")
    assert source_db.execute("SELECT count(*) FROM t").fetchone() == (1,)


def test_f84_a_query_over_its_limit_is_ended_and_named(
    staging: Staging, source_db: Connection
) -> None:
    with pytest.raises(TransientError, match=r"'orders'.*statement timeout.*time_limit is 0:00:01"):
        fetch(
            staging,
            source_db,
            "SELECT 1 AS id, pg_sleep(60)::text AS name",
            time_limit=timedelta(seconds=1),
        )

    assert is_idle(source_db)


def test_f1_a_server_that_goes_away_in_mid_copy_commits_nothing(
    staging: Staging, source_db: Connection, database: str
) -> None:
    pid = source_db.info.backend_pid

    def end_the_session() -> None:
        with psycopg.connect(database, autocommit=True) as admin:
            under_way = (
                "SELECT 1 FROM pg_stat_progress_copy WHERE pid = %s AND bytes_processed > 1000000"
            )
            wait_for(
                lambda: admin.execute(under_way, (pid,)).fetchone(),
                seconds=60,
                otherwise=lambda: "the copy never got under way",
            )
            admin.execute("SELECT pg_terminate_backend(%s)", (pid,))

    killer = Thread(target=end_the_session)
    killer.start()
    with pytest.raises(psycopg.OperationalError):
        fetch(
            staging,
            source_db,
            "SELECT n AS id, repeat('x', 500) AS name FROM generate_series(1, 20000000) AS n",
        )
    killer.join()

    assert staging.manifest("orders") is None
    assert list(staging.bucket.keys(staging.run.prefix)) == []


def test_f64_memory_does_not_grow_with_the_rows(staging: Staging, source_db: Connection) -> None:
    """A modest look: with all buffers warm, three times the rows do not raise the peak."""
    sql = "SELECT n AS id, md5(n::text) || repeat('x', 160) AS name FROM generate_series(1, {}) n"
    fetch(staging, source_db, sql.format(600_000))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    assert fetch_only(staging, source_db, sql.format(1_800_000)) == 1_800_000

    grown_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown_kib < 64 * 1024  # of some 370 MiB read


def fetch_only(staging: Staging, connection: Connection, sql: str) -> int:
    declared = a_source()
    with staging.attempt("orders", declared.schema) as attempt:
        return attempt.commit(
            fetch_postgres(declared, partial(nullcontext, connection), sql, a_run(), attempt)
        ).rows
