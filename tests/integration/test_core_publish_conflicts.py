"""Another session that gets in the way: the transaction is done again, and its result is one."""

from __future__ import annotations

from threading import Event, Thread
from typing import Any

import psycopg
import pytest

from embedded_stack.conditions import wait_for
from reporting.core.warehouse.claim import take_claim
from reporting.core.warehouse.conflict import TRIES
from reporting.core.warehouse.publish import POINT, publish
from reporting.core.warehouse.release import find_release
from tests.integration.publishing import TWO_TABLES, edition, publish_new, version, view
from tests.specimens import a_run

pytestmark = pytest.mark.integration

Connection = psycopg.Connection[Any]
ROWS = "results.sales__totals__releases"


class Rival:
    """Locks what a publish locks last, then what it locks first, and keeps both for a moment.

    It looks for no deadlock itself, so that it is always the publish that is broken off.
    """

    def __init__(self, database: str) -> None:
        self._database = database
        self._thread = Thread(target=self._get_in_the_way)
        self._has_pointer, self._may_go_on = Event(), Event()

    def __enter__(self) -> Rival:
        self._thread.start()
        assert self._has_pointer.wait(30)
        return self

    def __exit__(self, *_: object) -> None:
        self._may_go_on.set()
        self._thread.join()

    def go_on(self) -> None:
        """Let it ask for the table, and return when it waits for that."""
        self._may_go_on.set()
        with psycopg.connect(self._database, autocommit=True) as watcher:
            wait_for(lambda: waiting(watcher), seconds=30, otherwise=lambda: "nobody waits")

    def _get_in_the_way(self) -> None:
        with psycopg.connect(self._database, options="-c deadlock_timeout=1h") as connection:
            connection.execute("SELECT FROM reporting.current_release FOR UPDATE")
            self._has_pointer.set()
            self._may_go_on.wait()
            connection.execute(f"LOCK TABLE {ROWS} IN SHARE MODE")


def waiting(connection: Connection) -> tuple[Any, ...] | None:
    return connection.execute(
        "SELECT FROM pg_locks WHERE NOT granted AND relation = to_regclass(%s)", (ROWS,)
    ).fetchone()


class Meeting:
    """A connection that lets the rival ask for the table just before it moves the pointer."""

    def __init__(self, connection: Connection, rival: Rival) -> None:
        self._connection, self._rival = connection, rival
        self.times = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    def execute(self, query: Any, *values: Any) -> Any:
        if query == POINT:
            self.times += 1
            if self.times == 1:
                self._rival.go_on()
        return self._connection.execute(query, *values)


@pytest.fixture
def quick(warehouse: Connection) -> Connection:
    """Return a connection to a warehouse of one release that soon notices a deadlock."""
    publish_new(warehouse, TWO_TABLES, a_run(run_id="first"), version(1))
    warehouse.execute("SET deadlock_timeout = '50ms'")
    return warehouse


def releases(connection: Connection) -> list[tuple[Any, ...]]:
    """Return run, version and rows of every release."""
    return connection.execute(
        f"SELECT run_id, version, (SELECT count(*) FROM {ROWS} AS t "
        "WHERE t.release_id = r.release_id) FROM reporting.release AS r ORDER BY 2"
    ).fetchall()


def test_f60_a_deadlock_with_another_session_costs_nothing_but_time(
    quick: Connection, database: str, caplog: pytest.LogCaptureFixture
) -> None:
    run = a_run(run_id="second")
    take_claim(quick, run)
    with Rival(database) as rival:
        meeting = Meeting(quick, rival)
        release = publish(meeting, TWO_TABLES, run, edition(version(2)))  # type: ignore[arg-type]

    assert meeting.times == 2
    assert "DeadlockDetected" in caplog.text
    assert releases(quick) == [("first", 1, 500), ("second", 2, 500)]
    assert find_release(quick, run.id) == release
    for table in ("totals", "details"):
        rows = view(quick, f"sales__{table}")
        assert [row[:2] for row in rows] == [(number, "v2") for number in range(500)]
    assert quick.execute("SELECT count(*) FROM reporting.claim").fetchone() == (0,)


@pytest.mark.parametrize("state", ["40001", "40P01"])
def test_after_a_few_tries_the_error_is_let_through(quick: Connection, state: str) -> None:
    """A sequence counts the tries, as nothing else outlives a transaction that is undone."""
    quick.execute("CREATE SEQUENCE tries")
    quick.execute(
        "CREATE FUNCTION give_up() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN PERFORM nextval('tries'); RAISE SQLSTATE '{state}'; END $$"
    )
    quick.execute(f"CREATE TRIGGER t BEFORE INSERT ON {ROWS} EXECUTE FUNCTION give_up()")
    run = a_run(run_id="second")

    with pytest.raises(psycopg.OperationalError) as error:
        publish_new(quick, TWO_TABLES, run, version(2))

    assert error.value.sqlstate == state
    assert quick.execute("SELECT last_value FROM tries").fetchone() == (TRIES,)
    assert releases(quick) == [("first", 1, 500)]
    quick.execute(f"DROP TRIGGER t ON {ROWS}")
    assert take_claim(quick, run) == "second"
    assert publish(quick, TWO_TABLES, run, edition(version(2))).version == 2
