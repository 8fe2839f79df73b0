"""Publishing against a real PostgreSQL: whole versions or nothing (R11, R15, R32)."""

from __future__ import annotations

from datetime import date, timedelta
from threading import Event, Thread
from typing import Any

import psycopg
import pytest

from reporting.core.warehouse import publish as publish_module
from reporting.core.warehouse.claim import hold_claim, take_claim
from reporting.core.warehouse.load import load_rows
from reporting.core.warehouse.publish import publish
from reporting.core.warehouse.release import find_release
from reporting.core.warehouse.runs import published_files, register_staging
from reporting.errors import ClaimError
from tests.integration.publishing import TWO_TABLES, data, edition, publish_new, version, view
from tests.specimens import a_report, a_run

pytestmark = pytest.mark.integration

Connection = psycopg.Connection[Any]


def test_what_was_published_is_read_back(warehouse: Connection) -> None:
    release = publish_new(warehouse, a_report(), a_run(), data(a_report(), {"id": 1, "name": "a"}))

    assert view(warehouse) == [(1, "a", "2024-05-01")]
    assert (release.version, release.row_counts, release.files) == (1, {"totals": 1}, ("key",))
    assert find_release(warehouse, a_run().id) == release
    assert warehouse.execute("SELECT count(*) FROM reporting.claim").fetchone() == (0,)


def test_each_publish_is_the_next_version_and_the_old_rows_stay(warehouse: Connection) -> None:
    for number in (1, 2, 3):
        run = a_run(run_id=f"run_{number}")
        rows = data(a_report(), {"id": number, "name": "a"})
        assert publish_new(warehouse, a_report(), run, rows).version == number

    assert view(warehouse) == [(3, "a", "2024-05-01")]
    kept = warehouse.execute("SELECT id FROM results.sales__totals__releases ORDER BY id")
    assert kept.fetchall() == [(1,), (2,), (3,)]


def test_other_periods_are_other_figures(warehouse: Connection) -> None:
    """F26: two triggers of a day with different periods both publish."""
    for day in (1, 2):
        run = a_run(run_id=f"run_{day}", day=date(2024, 5, day))
        rows = data(a_report(), {"id": day, "name": "a"})
        assert publish_new(warehouse, a_report(), run, rows).version == 1

    assert view(warehouse) == [(1, "a", "2024-05-01"), (2, "a", "2024-05-02")]


def test_a_special_cut_does_not_add_to_what_everybody_reads(warehouse: Connection) -> None:
    report, rows = a_report(), data(a_report(), {"id": 1, "name": "a"})
    publish_new(warehouse, report, a_run(params={"carrier": None}), rows)
    cut = a_run(run_id="cut", params={"carrier": "UA"}, is_default=False)
    publish_new(warehouse, report, cut, rows)

    assert view(warehouse) == [(1, "a", "2024-05-01")]
    found = warehouse.execute("SELECT params FROM results.sales__totals__by_params ORDER BY 1")
    assert found.fetchall() == [({"carrier": None},), ({"carrier": "UA"},)]


def test_a_param_that_is_added_later_doubles_no_figures(warehouse: Connection) -> None:
    """With it the default request has another key; the period still has one default release."""
    rows = data(a_report(), {"id": 1, "name": "a"})
    publish_new(warehouse, a_report(), a_run(params={}), rows)
    publish_new(warehouse, a_report(), a_run(run_id="b", params={"carrier": None}), rows)
    other_day = a_run(run_id="c", day=date(2024, 5, 2), params={"carrier": None})
    publish_new(warehouse, a_report(), other_day, rows)

    assert view(warehouse) == [(1, "a", "2024-05-01"), (1, "a", "2024-05-02")]


def test_one_life_of_a_run_publishes_once(warehouse: Connection) -> None:
    """F1: the second of two processes at the same step gets the first one's release."""
    rows = data(a_report(), {"id": 1, "name": "a"})
    first = publish_new(warehouse, a_report(), a_run(), rows)

    assert publish(warehouse, a_report(), a_run(), edition(rows)) == first
    assert find_release(warehouse, a_run(clear_number=1).id) is None
    assert publish_new(warehouse, a_report(), a_run(clear_number=1), rows).version == 2


def test_no_transaction_is_open_before_all_is_ready(warehouse: Connection) -> None:
    """What `store` asks before it makes the files, which may take long, locks nothing."""
    register_staging(warehouse, a_run(), timedelta(days=1))
    hold_claim(warehouse, a_run(), lambda _run_id: False)
    assert find_release(warehouse, a_run().id) is None
    assert published_files(warehouse, a_run().id) == frozenset()

    assert warehouse.info.transaction_status == psycopg.pq.TransactionStatus.IDLE


@pytest.mark.parametrize("holder", [None, "another"])
def test_a_run_that_lost_its_claim_publishes_nothing(
    warehouse: Connection, holder: str | None
) -> None:
    if holder is not None:
        take_claim(warehouse, a_run(run_id=holder))

    with pytest.raises(ClaimError, match=r"'manual__1' does not hold the claim on 'sales'"):
        publish(warehouse, a_report(), a_run(), edition(data(a_report(), {"id": 1})))

    assert warehouse.execute("SELECT count(*) FROM reporting.release").fetchone() == (0,)
    assert warehouse.execute("SELECT to_regclass('results.sales__totals')").fetchone() == (None,)


class FailingConnection:
    """A connection whose n-th statement is refused, COPY included."""

    def __init__(self, connection: Connection, at: int) -> None:
        self._connection = connection
        self._at = at
        self.statements = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    def execute(self, *arguments: Any) -> Any:
        self._count()
        return self._connection.execute(*arguments)

    def cursor(self) -> Any:
        self._count()
        return self._connection.cursor()

    def _count(self) -> None:
        self.statements += 1
        if self.statements == self._at:
            # the server's own error, so that its transaction breaks as in earnest
            self._connection.execute("SELECT 1/0")


class Reader:
    """Looks at both views in one statement, over and over, and keeps what is no whole version."""

    def __init__(self, database: str) -> None:
        self._database = database
        self._stop = Event()
        self._thread = Thread(target=self._look)
        self.looks = 0
        self.faults: list[Any] = []
        self.seen: set[str] = set()

    def __enter__(self) -> Reader:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def until_looks(self, more: int) -> None:
        """Wait until the reader has looked that often again."""
        goal = self.looks + more
        while self.looks < goal and self._thread.is_alive():
            self._stop.wait(0.001)

    def _look(self) -> None:
        with psycopg.connect(self._database, autocommit=True) as connection:
            while not self._stop.is_set():
                rows = connection.execute(
                    "SELECT 'totals', name, count(*), count(DISTINCT id) FROM results.sales__totals"
                    " GROUP BY name UNION ALL SELECT 'details', name, count(*), count(DISTINCT id)"
                    " FROM results.sales__details GROUP BY name"
                ).fetchall()
                self.looks += 1
                versions = {row[1] for row in rows}
                self.seen |= versions
                if len(versions) != 1 or [row[2:] for row in rows] != [(500, 500)] * 2:
                    self.faults.append(rows)


def test_readers_see_whole_versions_only(warehouse: Connection, database: str) -> None:
    """F1: 50 publishes, and a failure at every statement of the transaction, under a reader."""
    publish_new(warehouse, TWO_TABLES, a_run(run_id="run_0"), version(0))
    failures = 0
    with Reader(database) as reader:
        for number in range(1, 51):
            run = a_run(run_id=f"run_{number}")
            take_claim(warehouse, run)
            failing = FailingConnection(warehouse, at=number)
            try:
                publish(failing, TWO_TABLES, run, edition(version(number)))  # type: ignore[arg-type]
            except psycopg.errors.DivisionByZero:
                failures += 1
                assert find_release(warehouse, run.id) is None
                publish(warehouse, TWO_TABLES, run, edition(version(number)))
            reader.until_looks(3)
    assert reader.faults == []
    assert reader.looks > 100
    assert {"v1", "v50"} <= reader.seen
    assert failures == failing.statements > 10
    assert view(warehouse)[0][1] == "v50"
    assert warehouse.execute("SELECT count(*) FROM results.sales__totals__releases").fetchone() == (
        51 * 500,
    )


def test_the_reader_does_notice_a_publish_that_is_not_atomic(
    warehouse: Connection, database: str
) -> None:
    """Proves the test above: the pointer moved before the rows are there must be seen."""
    publish_new(warehouse, TWO_TABLES, a_run(run_id="run_0"), version(0))
    run = a_run(run_id="run_1")
    with Reader(database) as reader:
        release_id, _ = publish_module._insert(warehouse, run, edition(version(1)))
        warehouse.execute(publish_module.POINT, ("sales", run.request_key, release_id))
        reader.until_looks(3)
        for table in TWO_TABLES.tables:
            rows = version(1)[table.name]
            load_rows(warehouse, "sales", table, rows, release_id)
            reader.until_looks(3)

    assert [] in reader.faults  # no rows at all
    assert any(len(rows) == 1 for rows in reader.faults)  # one table without the other
