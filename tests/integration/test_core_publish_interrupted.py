"""A publish that is broken off in the middle leaves nothing: no rows, no thread, no transaction."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pyarrow as pa
import pytest

from embedded_stack.conditions import wait_for
from reporting.core.warehouse import load
from reporting.core.warehouse.claim import take_claim
from reporting.core.warehouse.copy_text import copy_lines
from reporting.core.warehouse.publish import publish
from reporting.core.warehouse.release import find_release
from tests.integration.publishing import TWO_TABLES, edition, publish_new, version
from tests.specimens import a_run

pytestmark = pytest.mark.integration

Connection = psycopg.Connection[Any]
BATCHES = 8


class TimeLimit(BaseException):
    """What Airflow raises in the main thread when a task's time is over; no plain exception."""


@pytest.fixture
def _limit() -> Iterator[None]:
    """Make SIGALRM the end of the time, as Airflow does."""

    def end(*_: object) -> None:
        raise TimeLimit

    before = signal.signal(signal.SIGALRM, end)
    yield
    signal.signal(signal.SIGALRM, before)


@pytest.fixture
def tables() -> dict[str, pa.Table]:
    """Return tables of several batches."""
    return version(1, BATCHES * load.BATCH_ROWS)


def at_batch(number: int, happens: Callable[[], None]) -> Callable[..., memoryview]:
    """Return a conversion during whose n-th batch, of the whole publish, something happens."""
    before = iter(range(10_000))

    def convert(rows: pa.Table, release_id: int) -> memoryview:
        if next(before) == number:
            happens()
        return copy_lines(rows, release_id)

    return convert


def demand_nothing_left(connection: Connection) -> None:
    assert not [t for t in threading.enumerate() if t.name.startswith("made-ahead")]
    assert connection.info.transaction_status == psycopg.pq.TransactionStatus.IDLE
    assert find_release(connection, a_run().id) is None
    assert publish_is_free(connection)


@pytest.mark.usefixtures("_limit")
@pytest.mark.parametrize("number", [0, 1, BATCHES - 1, BATCHES, 2 * BATCHES - 1])
def test_a_time_limit_leaves_nothing(
    warehouse: Connection,
    tables: dict[str, pa.Table],
    monkeypatch: pytest.MonkeyPatch,
    number: int,
) -> None:
    """The signal comes at the first, a middle and the last batch of either table."""
    take_claim(warehouse, a_run())
    end = at_batch(number, lambda: os.kill(os.getpid(), signal.SIGALRM))
    monkeypatch.setattr(load, "copy_lines", end)

    with pytest.raises(TimeLimit):
        publish(warehouse, TWO_TABLES, a_run(), edition(tables))

    demand_nothing_left(warehouse)
    monkeypatch.undo()
    assert publish(warehouse, TWO_TABLES, a_run(), edition(tables)).version == 1


@pytest.mark.parametrize("number", [0, BATCHES + 3])
def test_an_error_of_the_other_thread_is_raised_as_it_is(
    warehouse: Connection,
    tables: dict[str, pa.Table],
    monkeypatch: pytest.MonkeyPatch,
    number: int,
) -> None:
    def fail() -> None:
        raise MemoryError("no room for the batch")

    take_claim(warehouse, a_run())
    monkeypatch.setattr(load, "copy_lines", at_batch(number, fail))

    with pytest.raises(MemoryError, match="no room for the batch"):
        publish(warehouse, TWO_TABLES, a_run(), edition(tables))

    demand_nothing_left(warehouse)


def test_a_connection_that_is_cut_is_told_and_leaves_no_thread(
    warehouse: Connection,
    database: str,
    tables: dict[str, pa.Table],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    take_claim(warehouse, a_run())
    pid = warehouse.info.backend_pid

    def cut() -> None:
        with psycopg.connect(database, autocommit=True) as other:
            other.execute("SELECT pg_terminate_backend(%s, 10000)", (pid,))

    monkeypatch.setattr(load, "copy_lines", at_batch(BATCHES - 1, cut))

    with pytest.raises(psycopg.OperationalError):
        publish(warehouse, TWO_TABLES, a_run(), edition(tables))

    with psycopg.connect(database, autocommit=True) as again:
        demand_nothing_left(again)
        assert publish(again, TWO_TABLES, a_run(), edition(tables)).version == 1


@pytest.mark.usefixtures("_limit")
def test_a_time_limit_while_the_server_works_ends_the_session_there(
    warehouse: Connection, database: str
) -> None:
    """Another session holds the pointer: the server would wait for it for good."""
    run, pid = a_run(run_id="second"), warehouse.info.backend_pid
    publish_new(warehouse, TWO_TABLES, a_run(run_id="first"), version(1))
    take_claim(warehouse, run)
    with psycopg.connect(database) as holder, psycopg.connect(database, autocommit=True) as watcher:
        holder.execute("SELECT FROM reporting.current_release FOR UPDATE")
        alarm = threading.Thread(target=when_waiting, args=(watcher, pid))
        alarm.start()

        with pytest.raises(TimeLimit):
            publish(warehouse, TWO_TABLES, run, edition(version(2)))

        alarm.join()
        assert warehouse.closed
        wait_for(lambda: gone(watcher, pid), seconds=10, otherwise=lambda: "it goes on")
        assert publish_is_free(watcher)
        assert find_release(watcher, run.id) is None


def when_waiting(watcher: Connection, pid: int) -> None:
    """End the time of the main thread as soon as its session waits for a lock."""
    wait_for(
        lambda: watcher.execute(
            "SELECT FROM pg_locks WHERE NOT granted AND pid = %s", (pid,)
        ).fetchone(),
        seconds=30,
        otherwise=lambda: "it does not wait",
    )
    os.kill(os.getpid(), signal.SIGALRM)


def gone(watcher: Connection, pid: int) -> bool | None:
    found = watcher.execute("SELECT FROM pg_stat_activity WHERE pid = %s", (pid,)).fetchone()
    return True if found is None else None


def publish_is_free(connection: Connection) -> bool:
    """Say whether nobody holds the lock of a report."""
    row = connection.execute(
        "SELECT FROM pg_locks JOIN pg_database ON pg_database.oid = database "
        "WHERE locktype = 'advisory' AND datname = current_database()"
    ).fetchone()
    return row is None
