"""A query read in parts at once: each row once, and all as they were at one moment."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import psycopg
import pytest

from embedded_stack.stack import Stack
from reporting.core.fetch.postgres import fetch_postgres
from reporting.core.fetch.snapshot import Connect
from reporting.core.staging import Staging
from reporting.definition.fresh import Fresh
from reporting.definition.shards import Shards
from reporting.errors import ContractError, IntegrityError
from tests.integration.own_database import SUPERUSER
from tests.integration.postgres_fetching import (
    Connection,
    connecting,
    demand_nothing_left,
    fetch,
    fetch_only,
)
from tests.specimens import a_run, a_source

pytestmark = pytest.mark.integration

LEAST, MOST = -(2**63), 2**63 - 1
KEYS: dict[str, list[int | None]] = {
    "even": list(range(1000)),
    "with NULL": [None, 5, None, 7, 0],
    "only NULL": [None, None, None],
    "ends of int64": [LEAST, MOST, 0, -1, 1, LEAST + 1, MOST - 1, None],
    "least": [LEAST] * 5,
    "most": [MOST] * 5,
    "equal": [7] * 100,
    "negative": [-5, -3, -3, -1],
    "fewer rows than shards": [1],
    "none": [],
    "one far away": [*range(100), 10**15],
}


@pytest.fixture(scope="module")
def constants(stack: Stack) -> Connect:
    """Return what opens connections that only ask for constants."""
    return connecting(stack.dsn("postgres", SUPERUSER))


@pytest.mark.parametrize("number", [2, 3, 16])
@pytest.mark.parametrize("keys", KEYS.values(), ids=KEYS)
def test_every_row_comes_once_whatever_its_number(
    staging: Staging, constants: Connect, keys: list[int | None], number: int
) -> None:
    listed = ",".join("NULL" if key is None else str(key) for key in keys)

    got = fetch(
        staging,
        constants,
        f"SELECT k, n FROM unnest('{{{listed}}}'::int8[]) WITH ORDINALITY AS t (k, n)",
        columns={"k": "int64", "n": "int64"},
        shards=Shards(number, by="k"),
    )

    assert sorted(zip(got["n"].to_pylist(), got["k"].to_pylist(), strict=True)) == list(
        enumerate(keys, 1)
    )


HASHED = {
    "text": "nullif(n % 7, 0)::text",
    "empty text": "CASE n % 3 WHEN 0 THEN '' WHEN 1 THEN NULL ELSE 'x' END",
    "char": "('a' || n)::char(10)",
    "uuid": "md5(n::text)::uuid",
    "timestamptz": "timestamptz '2024-10-27 00:00+00' + n * interval '7 min'",
    "array": "array[n, nullif(n % 2, 0)]",
    "numeric": "nullif(n, 3) / 7.0",
    "float": "CASE n % 4 WHEN 0 THEN 'NaN' WHEN 1 THEN '-0' ELSE n / 3.0 END::float8",
    "bool": "n % 2 = 0",
    "json": "json_build_object('n', n)",
    "bytes": "decode(md5(n::text), 'hex')",
    "money": "n::numeric::money",
    "interval": "make_interval(days => n)",
    "row": "ROW(n, 'a')",
    "oid": "n::oid",
    "int2": "(n - 100)::int2",
}


@pytest.mark.parametrize("key", HASHED.values(), ids=HASHED)
def test_every_row_comes_once_whatever_its_key_is(
    staging: Staging, constants: Connect, key: str
) -> None:
    doubled = key.replace("%", "%%")
    sql = f'SELECT n, {doubled} AS "the key" FROM generate_series(1, 200) AS n'
    whole = fetch(staging, constants, sql, columns={})

    split = fetch(staging, constants, sql, columns={}, shards=Shards(3, by="the key"))

    assert split.schema == whole.schema
    assert repr(split.sort_by("n").to_pylist()) == repr(whole.sort_by("n").to_pylist())


def test_the_parts_are_read_at_once_by_connections_of_their_own(
    staging: Staging, database: str
) -> None:
    readers, source = set(), a_source(shards=Shards(4, by="id"))
    with staging.attempt("orders", source.schema) as attempt:
        attempt.on_progress = lambda *_: readers.add(threading.current_thread().name)
        sql = "SELECT n AS id, 'a' AS name FROM generate_series(1, 100) AS n"
        facts = fetch_postgres(source, connecting(database), sql, a_run(), attempt)
        manifest = attempt.commit(facts)

    assert len(readers) == 4
    assert facts["expected_rows"] == manifest.rows == 100
    assert all(part.rows in (24, 25, 26) for part in manifest.parts)
    assert len({part.key for part in manifest.parts}) == 4
    staging.discard()
    demand_nothing_left(staging, database)


def test_period_and_money_go_with_shards(staging: Staging, constants: Connect) -> None:
    got = fetch(
        staging,
        constants,
        'SELECT n::int8 AS id, n::numeric::money AS "m %%" FROM generate_series(1, 5) AS n'
        " WHERE %(period_start)s < %(period_end)s ; ",
        columns={"id": "int64 not null", "m %": "decimal(19,2)"},
        shards=Shards(2, by="id"),
    )

    assert got["m %"].to_pylist() == [Decimal(n) for n in range(1, 6)]


def changing(database: str, *statements: str) -> Connect:
    """Return what opens connections, and changes the data between the first and the second."""
    opened = 0

    @contextmanager
    def connect() -> Iterator[Connection]:
        nonlocal opened
        opened += 1
        if opened > 1:
            with psycopg.connect(database, autocommit=True) as other:
                for statement in statements:
                    other.execute(statement.encode())
        with connecting(database)() as connection:
            yield connection

    return connect


def test_what_is_committed_while_shards_are_opened_is_not_seen(
    staging: Staging, source_db: Connection, database: str
) -> None:
    source_db.execute("CREATE TABLE t (id int8, name text)")
    source_db.execute("INSERT INTO t SELECT n, 'before' FROM generate_series(1, 100) AS n")
    connect = changing(
        database,
        "INSERT INTO t SELECT n, 'after' FROM generate_series(-50, 150) AS n",
        "UPDATE t SET name = 'changed', id = id + 1000",
        "DELETE FROM t WHERE id % 2 = 0",
    )

    got = fetch(staging, connect, "SELECT id, name FROM t", shards=Shards(5, by="id"))

    assert sorted(got["id"].to_pylist()) == list(range(1, 101))
    assert set(got["name"].to_pylist()) == {"before"}
    assert source_db.execute("SELECT count(*) FROM t WHERE name = 'before'").fetchone() == (0,)


def test_a_key_that_changes_between_readings_is_caught(staging: Staging, database: str) -> None:
    seeds = iter(range(1, 10))

    @contextmanager
    def connect() -> Iterator[Connection]:
        with connecting(database)() as connection:
            connection.execute("SELECT setseed(%s)", (next(seeds) / 10,))
            yield connection

    sql = "SELECT n AS id, random() AS k FROM generate_series(1, 10000) AS n"
    with pytest.raises(IntegrityError, match=r"'orders': \d+ rows arrived in 3 shards, .* 10000;"):
        fetch(staging, connect, sql, columns={}, shards=Shards(3, by="k"))

    demand_nothing_left(staging, database)


def test_a_column_that_the_query_has_not_is_refused(staging: Staging, database: str) -> None:
    with pytest.raises(ContractError, match=r"'orders': shards by column 'nmae'; allowed: .*name"):
        fetch_only(
            staging,
            connecting(database),
            "SELECT 1 AS id, 'a' AS name",
            columns={},
            shards=Shards(2, by="nmae"),
        )

    demand_nothing_left(staging, database)


def test_the_newest_row_is_that_of_all_shards(staging: Staging, constants: Connect) -> None:
    source = a_source(
        columns={"n": "int64", "at": "timestamptz"},
        shards=Shards(3, by="n"),
        fresh=Fresh("at", within=timedelta(days=1)),
    )
    sql = (
        "SELECT n::int8, nullif(timestamptz '2024-05-01 00:00+00' + (n * 7 %% 10) * interval '1 h',"
        " timestamptz '2024-05-01 00:00+00') AS at FROM generate_series(1, 10) AS n"
    )
    with staging.attempt("orders", source.schema) as attempt:
        fetch_postgres(source, constants, sql, a_run(), attempt)
        assert attempt.newest == datetime(2024, 5, 1, 9, tzinfo=UTC)
        attempt.commit({})
