"""Whatever a column is called, it is called so in the view (F90); no relation name is cut."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

from tests.column_names import NAMES
from tests.integration.publishing import data, publish_new, view
from tests.specimens import a_report, a_run, a_table

pytestmark = pytest.mark.integration

Connection = psycopg.Connection[Any]


def test_f90_any_column_name_comes_back_the_same(warehouse: Connection, database: str) -> None:
    table = a_table(key=["Order", 'with "quotes"'], columns=dict.fromkeys(NAMES, "text"))
    report = a_report(tables=[table])
    with psycopg.connect(database, autocommit=True, client_encoding="LATIN1") as odd:
        publish_new(odd, report, a_run(), data(report, {name: name for name in NAMES}))

    cursor = warehouse.execute("SELECT * FROM results.sales__totals")
    names = [column.name for column in cursor.description or ()]
    assert names == ["period", "release_id", *NAMES]
    assert (cursor.fetchone() or ())[2:] == tuple(NAMES)


def test_f90_a_column_of_any_name_may_be_added_later(warehouse: Connection) -> None:
    for count in (2, len(NAMES)):
        table = a_table(key=["Order"], columns=dict.fromkeys(NAMES[:count], "text"))
        report, run = a_report(tables=[table]), a_run(run_id=f"run_{count}")
        rows = data(report, {name: name for name in NAMES[:count]})
        publish_new(warehouse, report, run, rows)

    cursor = warehouse.execute("SELECT * FROM results.sales__totals__by_params")
    names = [column.name for column in cursor.description or ()]
    assert names == ["period", "params", "release_id", *NAMES]


def test_the_longest_names_are_kept_whole_and_apart(warehouse: Connection) -> None:
    """Two tables that differ in the last letter only; PostgreSQL would cut a longer name."""
    tables = [a_table("t" * 37 + last) for last in "ab"]
    report = a_report(name="r" * 12, tables=tables)
    for number in range(2):
        run = a_run(report.name, f"run_{number}")
        publish_new(warehouse, report, run, data(report, {"id": 1, "name": "x"}))

    found = warehouse.execute("SELECT relname FROM pg_class WHERE relkind IN ('r', 'v') "
                              "AND relnamespace = 'results'::regnamespace")  # fmt: skip
    names = {row[0] for row in found.fetchall()}
    views = {f"{report.name}__{table.name}" for table in tables}
    assert names == {view + end for view in views for end in ("", "__by_params", "__releases")}
    assert max(map(len, names)) == 63
    assert all(view(warehouse, name) == [(1, "x", "2024-05-01")] for name in views)
