"""When one shard fails, all end soon, and nothing of any is left (F1, F84, F92)."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from threading import Event
from time import monotonic
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo

from reporting.core.fetch.postgres import fetch_postgres
from reporting.core.staging import Staging
from reporting.definition.shards import Shards
from reporting.errors import ContractError, TransientError
from tests.integration.postgres_fetching import (
    Connection,
    connecting,
    demand_nothing_left,
    fetch_only,
)
from tests.specimens import a_run, a_source

pytestmark = pytest.mark.integration

SHARDS = Shards(3, by="id")
SOON = 20
NOT_NULL = {"id": "int64 not null", "name": "text not null"}
MANY = "SELECT n AS id, repeat('x', 500) AS name FROM generate_series(1, 3000000) AS n"


class Told(BaseException):
    """Like Airflow's task timeout: no handler of ordinary errors catches it."""


@pytest.fixture(autouse=True)
def _soon() -> Iterator[None]:
    """Demand that each test ends long before the queries would."""
    start = monotonic()
    yield
    assert monotonic() - start < SOON


def slow_query(source_db: Connection) -> str:
    """Return a query whose first shard has a bad row, and whose others take ten minutes.

    That its rows are only counted first must take no time: so it is a function that may be left
    out.
    """
    source_db.execute(
        "CREATE FUNCTION slowly(n int) RETURNS text STABLE LANGUAGE sql AS $$"
        " SELECT CASE WHEN n = 0 THEN NULL WHEN n < 33 THEN 'a' ELSE pg_sleep(600)::text END $$"
    )
    source_db.close()
    return "SELECT n AS id, slowly(n) AS name FROM generate_series(0, 99) AS n"


def test_f84_the_first_bad_row_ends_the_other_shards(
    staging: Staging, source_db: Connection, database: str
) -> None:
    query = slow_query(source_db)

    with pytest.raises(ContractError, match=r"'orders', shard 1 of 3, row 1, column 'name': NULL"):
        fetch_only(staging, connecting(database), query, columns=NOT_NULL, shards=SHARDS)

    demand_nothing_left(staging, database)


class LateConnection(psycopg.Connection[Any]):
    """Notes that it was told to cancel what it has asked."""

    def __init__(self, *values: Any, **named: Any) -> None:
        super().__init__(*values, **named)
        self.was_cancelled = Event()

    def cancel_safe(self, *, timeout: float = 30.0) -> None:
        super().cancel_safe(timeout=timeout)
        self.was_cancelled.set()


class LateCursor(psycopg.Cursor[Any]):
    """Asks for rows only after that, when there was nothing to cancel yet."""

    def copy(self, *asked: Any, **more: Any) -> Any:
        assert isinstance(self.connection, LateConnection)
        assert self.connection.was_cancelled.wait(SOON)
        return super().copy(*asked, **more)


def test_f84_a_shard_that_is_about_to_ask_is_ended_too(
    staging: Staging, source_db: Connection, database: str
) -> None:
    query = slow_query(source_db)
    opened = 0

    @contextmanager
    def connect() -> Iterator[Connection]:
        nonlocal opened
        opened += 1
        kind, cursor = psycopg.Connection[Any], psycopg.Cursor[Any]
        if opened == 4:
            kind, cursor = LateConnection, LateCursor
        with kind.connect(database, autocommit=True, cursor_factory=cursor) as connection:
            yield connection

    with pytest.raises(ContractError, match="shard 1 of 3"):
        fetch_only(staging, connect, query, columns=NOT_NULL, shards=SHARDS)

    assert opened == 4
    demand_nothing_left(staging, database)


@pytest.mark.parametrize("error", [Told, TransientError("the store is away")])
def test_f84_whatever_ends_one_shard_ends_all(staging: Staging, database: str, error: Any) -> None:
    batches = iter(range(1000))

    def stop(*_: int) -> None:
        if next(batches) == 5:
            raise error

    def read() -> None:
        source = a_source(shards=SHARDS)
        with staging.attempt("orders", source.schema) as attempt:
            attempt.on_progress = stop
            fetch_postgres(source, connecting(database), MANY, a_run(), attempt)

    with pytest.raises(error if isinstance(error, type) else type(error)):
        read()

    demand_nothing_left(staging, database)


def test_f84_a_time_limit_of_the_task_ends_all(staging: Staging, database: str) -> None:
    """It comes as a signal, while the task waits for its shards."""

    def told(*_: Any) -> None:
        raise Told

    is_first = iter([True])

    def tell(*_: int) -> None:
        if next(is_first, False):
            os.kill(os.getpid(), signal.SIGUSR1)

    def read() -> None:
        source = a_source(shards=SHARDS)
        with staging.attempt("orders", source.schema) as attempt:
            attempt.on_progress = tell
            fetch_postgres(source, connecting(database), MANY, a_run(), attempt)

    former = signal.signal(signal.SIGUSR1, told)
    try:
        with pytest.raises(Told):
            read()
    finally:
        signal.signal(signal.SIGUSR1, former)

    demand_nothing_left(staging, database)


def test_f84_the_time_limit_of_the_source_is_that_of_each_shard(
    staging: Staging, source_db: Connection, database: str
) -> None:
    query = slow_query(source_db)

    with pytest.raises(TransientError, match=r"'orders'.*statement timeout.*time_limit is 0:00:01"):
        fetch_only(
            staging, connecting(database), query, shards=SHARDS, time_limit=timedelta(seconds=1)
        )

    demand_nothing_left(staging, database)


def test_a_role_that_may_not_idle_for_long_may_wait_for_its_shards(
    staging: Staging, database: str
) -> None:
    """The connection that holds the snapshot idles while the others read."""
    query = "SELECT n AS id, pg_sleep(0.6)::text AS name FROM generate_series(1, 3) AS n"
    connect = connecting(database, options="-c idle_in_transaction_session_timeout=200ms")

    assert fetch_only(staging, connect, query, shards=SHARDS).rows == 3


def test_f92_a_server_without_free_connections_is_worth_another_try(
    staging: Staging, source_db: Connection, database: str
) -> None:
    """The retry policy gives up on errors of query and data only."""
    name = f"few_{uuid4().hex[:12]}"
    role = sql.Identifier(name)
    made = sql.SQL("CREATE ROLE {} LOGIN PASSWORD 'few' CONNECTION LIMIT 3")
    source_db.execute(made.format(role))
    source_db.execute(sql.SQL("GRANT CREATE ON SCHEMA public TO {}").format(role))
    try:
        few = connecting(make_conninfo(database, user=name, password="few"))
        with pytest.raises(psycopg.OperationalError, match="too many connections") as fault:
            fetch_only(staging, few, "SELECT 1 AS id, 'a' AS name", shards=SHARDS)
        assert not isinstance(fault.value, psycopg.ProgrammingError | psycopg.DataError)
        source_db.close()
        demand_nothing_left(staging, database)
    finally:
        with psycopg.connect(database, autocommit=True) as admin:
            admin.execute(sql.SQL("DROP OWNED BY {}").format(role))
            admin.execute(sql.SQL("DROP ROLE {}").format(role))
