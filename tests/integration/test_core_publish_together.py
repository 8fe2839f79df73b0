"""Publishes at once: none blocks another for good, and the schema is made once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from threading import Thread
from typing import Any

import psycopg
import pyarrow as pa
import pytest

from reporting.core.run import Run
from reporting.core.warehouse.runs import register_staging
from reporting.core.warehouse.schema import ensure_schema
from reporting.definition.report import Report
from tests.integration.publishing import TWO_TABLES, data, publish_new, version, view
from tests.specimens import a_report, a_run

pytestmark = pytest.mark.integration

Connection = psycopg.Connection[Any]


def at_once(*works: Any) -> list[BaseException]:
    """Run functions in threads and return their errors."""
    errors: list[BaseException] = []

    def guarded(work: Any) -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001 - the test looks at it
            errors.append(error)

    threads = [Thread(target=guarded, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return errors


def publisher(
    database: str, report: Report, run: Run, tables: dict[str, pa.Table], options: str = ""
) -> Any:
    def work() -> None:
        with psycopg.connect(database, autocommit=True, options=options) as connection:
            ensure_schema(connection)
            publish_new(connection, report, run, tables)

    return work


def test_first_publishes_of_many_reports_at_once_do_not_deadlock(
    warehouse: Connection, database: str
) -> None:
    """Each creates its tables while the others hold rows of the common ones."""
    reports = [replace(TWO_TABLES, name=f"sales_{n}") for n in range(8)]
    works = [publisher(database, r, a_run(r.name), version(1, 2000)) for r in reports]

    assert at_once(*works) == []
    assert all(len(view(warehouse, f"{r.name}__details")) == 2000 for r in reports)


def test_the_very_first_publishes_make_everything_at_once(
    source_db: Connection, database: str
) -> None:
    """Three runs each of three reports, in a database in which there is nothing yet."""
    reports = [replace(TWO_TABLES, name=f"sales_{n}") for n in range(3)]
    works = [
        publisher(database, r, a_run(r.name, f"run_{day}", date(2024, 5, day)), version(day))
        for r in reports
        for day in (1, 2, 3)
    ]

    assert at_once(*works) == []
    for report in reports:
        assert len(view(source_db, f"{report.name}__totals")) == 3 * 500
    found = source_db.execute("SELECT report, version FROM reporting.release ORDER BY 1").fetchall()
    assert found == [(report.name, 1) for report in reports for _ in range(3)]


@pytest.mark.parametrize("isolation", ["read committed", "repeatable read", "serializable"])
def test_f60_f69_runs_of_one_report_at_once_do_not_deadlock(
    warehouse: Connection, database: str, isolation: str
) -> None:
    """Rows in opposite orders, periods and versions mixed: all get through, each slice is whole.

    The role may ask for one snapshot per transaction; what is done under the lock must still see
    what its last holder has made.
    """
    options = "-c default_transaction_isolation=" + isolation.replace(" ", r"\ ")
    forth = version(1)
    back = {name: table.take(pa.array(range(499, -1, -1))) for name, table in forth.items()}
    works = []
    for number in range(8):
        run = a_run(run_id=f"run_{number}", day=date(2024, 5, 1 + number))
        works.append(publisher(database, TWO_TABLES, run, forth if number % 2 else back, options))

    assert at_once(*works) == []
    counts = warehouse.execute("SELECT period, count(*) FROM results.sales__totals GROUP BY 1")
    assert [row[1] for row in counts.fetchall()] == [500] * 8


def test_the_schema_is_made_by_many_at_once_and_completed_later(
    source_db: Connection, database: str
) -> None:
    def make() -> None:
        with psycopg.connect(database, autocommit=True) as connection:
            ensure_schema(connection)

    assert at_once(*[make] * 8) == []
    source_db.execute("DROP TABLE reporting.staged_run")  # as in a warehouse of an older version
    ensure_schema(source_db)
    assert source_db.execute("SELECT count(*) FROM reporting.staged_run").fetchone() == (0,)


@pytest.fixture
def kept(warehouse: Connection) -> Iterator[None]:
    from datetime import timedelta

    register_staging(warehouse, a_run(), timedelta(days=1))
    yield
    row = warehouse.execute(
        "SELECT keep_until BETWEEN now() + interval '23 h' AND now() + interval '25 h'"
        " FROM reporting.staged_run"
    ).fetchone()
    assert row == (True,)


@pytest.mark.usefixtures("kept")
def test_the_time_of_staged_data_starts_with_the_publish(warehouse: Connection) -> None:
    publish_new(warehouse, a_report(), a_run(), data(a_report(), {"id": 1, "name": "a"}))
