"""Publishes small releases, and reads what readers read."""

from __future__ import annotations

from typing import Any

import psycopg
import pyarrow as pa
import pytest
from psycopg import sql

from reporting.core.arrow import arrow_schema
from reporting.core.run import Run
from reporting.core.warehouse.claim import take_claim
from reporting.core.warehouse.publish import publish
from reporting.core.warehouse.release import Edition, Release
from reporting.definition.report import Report
from tests.specimens import a_report, a_table

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
