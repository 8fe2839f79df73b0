"""However a fetch from PostgreSQL ends, it ends soon and leaves nothing behind (F1, F84, F92)."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from threading import Thread
from typing import Any

import psycopg
import pytest

from embedded_stack.conditions import wait_for
from embedded_stack.stack import Stack
from reporting.core.fetch.postgres import fetch_postgres
from reporting.core.progress import Progress
from reporting.core.staging import Staging
from reporting.core.stall import ended_when_stalled
from reporting.errors import ContractError, TransientError
from tests.integration.own_database import WITHOUT_ENCODING, own_database
from tests.integration.postgres_fetching import (
    connecting,
    demand_nothing_left,
    fetch,
    fetch_only,
    sessions,
)
from tests.specimens import a_run, a_source

pytestmark = pytest.mark.integration

MANY = "SELECT n AS id, repeat(md5(n::text), 15) AS name FROM generate_series(1, 20000000) AS n"
COPYING = (
    "SELECT pid FROM pg_stat_progress_copy WHERE bytes_processed > 1000000"
    " AND datname = current_database()"
)
AT_REST = "SELECT 1 AS id, pg_sleep(600)::text AS name"
RESTING = (
    "SELECT pid FROM pg_stat_activity WHERE query LIKE 'COPY%' AND wait_event = 'PgSleep'"
    " AND datname = current_database()"
)


class Told(BaseException):
    """Like Airflow's task timeout and Ctrl-C: no handler of ordinary errors catches it."""


@contextmanager
def once(
    database: str, query: str, act: Callable[[psycopg.Connection[Any], int], Any]
) -> Iterator[None]:
    """Do something in another thread as soon as a query finds a server process."""

    def wait_and_act() -> None:
        with psycopg.connect(database, autocommit=True) as admin:
            found = wait_for(
                lambda: admin.execute(query).fetchone(),
                seconds=60,
                otherwise=lambda: f"never found: {query}",
            )
            act(admin, found[0])

    thread = Thread(target=wait_and_act)
    thread.start()
    yield
    thread.join()


def test_f84_a_query_over_its_limit_is_ended_and_named(staging: Staging, database: str) -> None:
    with pytest.raises(TransientError, match=r"'orders'.*statement timeout.*time_limit is 0:00:01"):
        fetch(staging, connecting(database), AT_REST, time_limit=timedelta(seconds=1))

    demand_nothing_left(staging, database)


def test_r18_a_query_that_stands_still_is_ended_and_says_how_far_it_was(
    staging: Staging, database: str
) -> None:
    progress = Progress("orders")
    with (
        pytest.raises(TransientError, match="no progress for 0:00:01; 0 rows so far"),
        ended_when_stalled("orders", progress, timedelta(seconds=1)),
    ):
        fetch(staging, connecting(database), AT_REST)

    demand_nothing_left(staging, database)


def test_f1_a_server_that_goes_away_in_mid_copy_commits_nothing(
    staging: Staging, database: str
) -> None:
    def end(admin: psycopg.Connection[Any], pid: int) -> None:
        admin.execute("SELECT pg_terminate_backend(%s)", (pid,))

    with once(database, COPYING, end), pytest.raises(psycopg.OperationalError):
        fetch(staging, connecting(database), MANY)

    assert staging.manifest("orders") is None
    demand_nothing_left(staging, database)


def test_a_query_that_somebody_cancels_is_worth_another_try(
    staging: Staging, database: str
) -> None:
    def cancel(admin: psycopg.Connection[Any], pid: int) -> None:
        admin.execute("SELECT pg_cancel_backend(%s)", (pid,))

    with once(database, COPYING, cancel), pytest.raises(TransientError, match="user request"):
        fetch(staging, connecting(database), MANY)

    demand_nothing_left(staging, database)


def test_a_slow_server_does_not_hold_up_a_fetch_that_has_failed(
    staging: Staging, database: str
) -> None:
    """The reader is ahead and waits for a row that takes long; the fetch ends all the same."""
    sql = (
        "SELECT CASE WHEN n = 1 THEN NULL ELSE n END AS id, CASE WHEN n < 300000"
        " THEN repeat('x', 100) ELSE pg_sleep(600)::text END AS name"
        " FROM generate_series(1, 300000) AS n"
    )

    with pytest.raises(ContractError, match="row 1"):
        fetch(staging, connecting(database), sql)

    demand_nothing_left(staging, database)


@pytest.mark.parametrize("error", [Told, KeyboardInterrupt, MemoryError, TransientError("store")])
@pytest.mark.parametrize("batch", [1, 3])
def test_f84_whatever_ends_the_staging_ends_the_reading(
    staging: Staging, database: str, error: Any, batch: int
) -> None:
    told: list[int] = []

    def stop(rows: int, _size: int) -> None:
        told.append(rows)
        if len(told) == batch:
            raise error

    def read() -> None:
        source = a_source()
        with staging.attempt("orders", source.schema) as attempt:
            attempt.on_progress = stop
            fetch_postgres(source, connecting(database), MANY, a_run(), attempt)

    with pytest.raises(error if isinstance(error, type) else type(error)):
        read()

    assert len(told) == batch
    demand_nothing_left(staging, database)


@pytest.mark.parametrize(
    ("sql", "found"), [(MANY, COPYING), (AT_REST, RESTING)], ids=["rows", "silence"]
)
def test_f84_a_time_limit_of_the_task_ends_it_in_the_middle(
    staging: Staging, database: str, sql: str, found: str
) -> None:
    """Airflow's limit is an error raised by a signal, wherever the task happens to be."""

    def told(*_: Any) -> None:
        raise Told

    former = signal.signal(signal.SIGUSR1, told)
    try:
        with (
            once(database, found, lambda *_: os.kill(os.getpid(), signal.SIGUSR1)),
            pytest.raises(Told),
        ):
            fetch(staging, connecting(database), sql)
    finally:
        signal.signal(signal.SIGUSR1, former)

    demand_nothing_left(staging, database)


def test_f92_no_session_stays_in_a_transaction(staging: Staging, database: str) -> None:
    """Neither while rows are staged for long, nor when a shared connection is given back."""
    with psycopg.connect(database, autocommit=True) as kept:
        fetch_only(staging, kept, "SELECT 1 AS id, 'a' AS name")
        assert [state for state, _ in sessions(database)] == ["idle"]
        with pytest.raises(ContractError):
            fetch_only(staging, kept, "SELECT NULL::int AS id, 'a' AS name")
        assert [state for state, _ in sessions(database)] == ["idle"]
        assert kept.execute("SHOW statement_timeout").fetchone() == ("0",)

    fetch_only(staging, connecting(database), "SELECT 1 AS id, 'a' AS name")
    staging.discard()
    demand_nothing_left(staging, database)


def test_a_query_that_fails_on_its_data_is_named_and_not_tried_again(
    staging: Staging, database: str
) -> None:
    sql = "SELECT 1 / (n - 5000) AS id, 'a' AS name FROM generate_series(1, 100000) AS n"

    with pytest.raises(ContractError, match=r"'orders': the query fails .*: division by zero"):
        fetch(staging, connecting(database), sql)

    demand_nothing_left(staging, database)


def test_f33_text_of_no_encoding_is_refused_by_name(staging: Staging, stack: Stack) -> None:
    """A database of encoding SQL_ASCII takes any bytes for text."""
    with own_database(stack, WITHOUT_ENCODING) as dsn, psycopg.connect(dsn, autocommit=True) as own:
        own.execute("CREATE TABLE t (id int, name text)")
        own.execute(b"INSERT INTO t VALUES (1, '\xc3\xa9'), (2, '\xff')")

        whole = fetch(staging, connecting(dsn), "SELECT * FROM t WHERE id = 1")
        assert whole["name"].to_pylist() == ["é"]
        staging.discard()
        with pytest.raises(ContractError, match=r"'orders': .*invalid byte sequence.* 0xff"):
            fetch(staging, connecting(dsn), "SELECT * FROM t")
    assert list(staging.bucket.keys(staging.run.prefix)) == []
