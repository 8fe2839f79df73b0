"""Publishing against a real PostgreSQL: whole versions or nothing (R11, R15, R32)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal
from threading import Event, Thread
from typing import Any

import psycopg
import pyarrow as pa
import pytest
from psycopg import sql

from reporting.core.arrow import arrow_schema
from reporting.core.run import Run
from reporting.core.warehouse import release as release_module
from reporting.core.warehouse.claim import take_claim
from reporting.core.warehouse.load import load_rows
from reporting.core.warehouse.release import Edition, Release, find_release, publish
from reporting.core.warehouse.runs import register_staging
from reporting.core.warehouse.schema import ensure_schema
from reporting.definition.report import Report
from reporting.errors import ClaimError, ContractError
from tests.specimens import a_report, a_run, a_table

pytestmark = pytest.mark.integration

Connection = psycopg.Connection[Any]
TWO_TABLES = a_report(tables=[a_table("totals"), a_table("details")])


def data(report: Report, *rows: dict[str, Any]) -> dict[str, pa.Table]:
    """Return the rows as every table of the report."""
    return {t.name: pa.Table.from_pylist(list(rows), arrow_schema(t.schema)) for t in report.tables}


def edition(tables: dict[str, pa.Table]) -> Edition:
    return Edition(tables, "f", {"orders": {"rows": 1}}, {}, ("key",))


def publish_new(
    connection: Connection, report: Report, run: Run, tables: dict[str, pa.Table]
) -> Release:
    """Take the claim and publish."""
    assert take_claim(connection, run) == run.id.run_id
    return publish(connection, report, run, edition(tables))


def view(connection: Connection, name: str = "sales__totals") -> list[tuple[Any, ...]]:
    return connection.execute(
        sql.SQL("SELECT id, name, period FROM {} ORDER BY id").format(
            sql.Identifier("results", name)
        )
    ).fetchall()


def version(number: int, rows: int = 500) -> dict[str, pa.Table]:
    """Return tables in which every row says which version it is of."""
    return data(TWO_TABLES, *({"id": n, "name": f"v{number}"} for n in range(rows)))


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
    """F1: 30 publishes, and a failure at every statement of the transaction, under a reader."""
    publish_new(warehouse, TWO_TABLES, a_run(run_id="run_0"), version(0))
    failures = 0
    with Reader(database) as reader:
        for number in range(1, 31):
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
    assert reader.looks > 60
    assert {"v1", "v30"} <= reader.seen
    assert failures == failing.statements > 10
    assert view(warehouse)[0][1] == "v30"
    assert warehouse.execute("SELECT count(*) FROM results.sales__totals__releases").fetchone() == (
        31 * 500,
    )


def test_the_reader_does_notice_a_publish_that_is_not_atomic(
    warehouse: Connection, database: str
) -> None:
    """Proves the test above: the pointer moved before the rows are there must be seen."""
    publish_new(warehouse, TWO_TABLES, a_run(run_id="run_0"), version(0))
    run = a_run(run_id="run_1")
    with Reader(database) as reader:
        release_id, _ = release_module._insert(warehouse, run, edition(version(1)))
        warehouse.execute(release_module.POINT, ("sales", run.request_key, release_id))
        reader.until_looks(3)
        for table in TWO_TABLES.tables:
            rows = version(1)[table.name]
            load_rows(warehouse, "sales", table, rows, release_id)
            reader.until_looks(3)

    assert [] in reader.faults  # no rows at all
    assert any(len(rows) == 1 for rows in reader.faults)  # one table without the other


NAMES = ["Order", "user", "group", 'with "quotes"', "a b", "%s", "{x}", "é", "SELECT", "r", "t",
         "version", "report", "run_id", "1st", "period_", "b'c"]  # fmt: skip


def test_f90_any_column_name_comes_back_the_same(warehouse: Connection) -> None:
    table = a_table(key=["Order", 'with "quotes"'], columns=dict.fromkeys(NAMES, "text"))
    report = a_report(tables=[table])
    publish_new(warehouse, report, a_run(), data(report, {name: name for name in NAMES}))

    cursor = warehouse.execute("SELECT * FROM results.sales__totals")
    names = [column.name for column in cursor.description or ()]
    assert names == ["period", "release_id", *NAMES]
    assert (cursor.fetchone() or ())[2:] == tuple(NAMES)


TEXTS = ["", None, "NULL", "\\N", "\\.", "\t", "\n", "a\n\\.\nb", "\\.\n", '"', '""', "'", ",",
         "\r\n", "\r", "é\U0001f600", " ", "\ufeff", "\\", "\\n", "nan", "x" * 100_000]  # fmt: skip


def test_f62_f31_texts_come_back_as_they_are(warehouse: Connection) -> None:
    rows = [{"id": number, "name": text} for number, text in enumerate(TEXTS)]
    publish_new(warehouse, a_report(), a_run(), data(a_report(), *rows))

    assert [row[1] for row in view(warehouse)] == TEXTS


VALUES: dict[str, list[Any]] = {
    "int64": [-(2**63), 2**63 - 1, 9007199254740993, None],
    "int32": [-(2**31), 2**31 - 1, 0, None],
    "decimal(20,6)": [Decimal("12345678901234.567891"), Decimal("-0.005"), Decimal("0.1"), None],
    "decimal(38,20)": [Decimal("1e-20"), Decimal(123456789012345678), Decimal(0), None],
    "float64": [0.1, math.inf, -math.inf, 5e-324],
    "bool": [True, False, None, True],
    "date": [date(1, 1, 1), date(1899, 12, 31), date(9999, 12, 31), None],
    "timestamp": [datetime(2024, 3, 31, 2, 30, 0, 1), datetime(1, 1, 1), None, None],  # noqa: DTZ001
    "timestamptz": [datetime(2024, 10, 27, h, 30, 0, 123456, UTC) for h in (0, 1)] + [None, None],
}


def test_values_come_back_exact_whatever_the_session_is_set_to(
    warehouse: Connection, database: str
) -> None:
    """R37, F28, F30; NaN stays NaN and is not NULL."""
    report = a_report(tables=[a_table(columns={"id": "int64", **{kind: kind for kind in VALUES}})])
    rows = [{"id": n, **{kind: VALUES[kind][n] for kind in VALUES}} for n in range(4)]
    rows.append({"id": 4, "float64": math.nan})
    options = "-c client_encoding=LATIN1 -c DateStyle=German -c TimeZone=Asia/Shanghai"
    with psycopg.connect(database, autocommit=True, options=options) as odd:
        publish_new(odd, report, a_run(), data(report, *rows))

    warehouse.execute("SET TimeZone = 'UTC'")
    for kind, values in VALUES.items():
        found = warehouse.execute(
            sql.SQL("SELECT {} FROM results.sales__totals WHERE id < 4 ORDER BY id").format(
                sql.Identifier(kind)
            )
        ).fetchall()
        assert [row[0] for row in found] == values, kind
    nan = warehouse.execute("SELECT float64 FROM results.sales__totals WHERE id = 4").fetchone()
    assert nan is not None
    assert math.isnan(nan[0])


def columns_of(connection: Connection, name: str) -> list[str]:
    cursor = connection.execute(f"SELECT * FROM results.{name} LIMIT 0")
    return [column.name for column in cursor.description or ()]


def test_columns_may_come_and_go_and_readers_keep_their_grants(warehouse: Connection) -> None:
    publish_new(warehouse, a_report(), a_run(), data(a_report(), {"id": 1, "name": "a"}))
    warehouse.execute("CREATE VIEW own AS SELECT id, name FROM results.sales__totals")
    warehouse.execute("GRANT SELECT ON results.sales__totals TO pg_monitor")
    wider = a_report(tables=[a_table(columns={"new": "date", "id": "int64"})])
    run = a_run(run_id="b", day=date(2024, 5, 2))
    publish_new(warehouse, wider, run, data(wider, {"id": 2, "new": date(2024, 5, 2)}))

    assert columns_of(warehouse, "sales__totals") == ["period", "release_id", "id", "name", "new"]
    assert columns_of(warehouse, "sales__totals__by_params")[-1] == "new"
    assert warehouse.execute("SELECT * FROM own ORDER BY id").fetchall() == [(1, "a"), (2, None)]
    granted = warehouse.execute(
        "SELECT has_table_privilege('pg_monitor', 'results.sales__totals', 'SELECT')"
    )
    assert granted.fetchone() == (True,)


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (a_table(columns={"id": "int64", "name": "date"}), ["'name'", "kept as text", "date"]),
        (a_table(columns={"id": "decimal(9,2)", "name": "text"}), ["'id'", "bigint"]),
        (a_table(key=["id", "name"]), ["key (id)", "declared with (id, name)"]),
    ],
)
def test_a_changed_type_or_key_is_refused_by_name(
    warehouse: Connection, table: Any, words: list[str]
) -> None:
    publish_new(warehouse, a_report(), a_run(), data(a_report(), {"id": 1, "name": "a"}))
    changed, run = a_report(tables=[table]), a_run(run_id="b")
    take_claim(warehouse, run)

    with pytest.raises(ContractError) as fault:
        publish(warehouse, changed, run, edition(data(changed)))

    for word in (*words, "'totals'", "by hand"):
        assert word in str(fault.value)
    assert view(warehouse) == [(1, "a", "2024-05-01")]


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


def publisher(database: str, report: Report, run: Run, tables: dict[str, pa.Table]) -> Any:
    def work() -> None:
        with psycopg.connect(database, autocommit=True) as connection:
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


def test_f60_f69_runs_of_one_report_at_once_do_not_deadlock(
    warehouse: Connection, database: str
) -> None:
    """Rows in opposite orders, periods and versions mixed: all get through, each slice is whole."""
    forth = version(1)
    back = {name: table.take(pa.array(range(499, -1, -1))) for name, table in forth.items()}
    works = []
    for number in range(8):
        run = a_run(run_id=f"run_{number}", day=date(2024, 5, 1 + number))
        works.append(publisher(database, TWO_TABLES, run, forth if number % 2 else back))

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
