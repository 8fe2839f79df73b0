"""Compares what is in the result tables with what releases say of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reporting.core.reconcile.difference import Difference
from reporting.core.states import STORE
from reporting.core.warehouse.relation import SCHEMA, rows_name

if TYPE_CHECKING:
    from reporting.core.reconcile.difference import Scope
    from reporting.core.reconcile.installation import Installation
    from reporting.core.reconcile.releases import Published

PUBLISHED_ROWS, UNKNOWN_RELEASE = "published rows", "unknown release"
# Where the name of a report begins with that of another, a table is of the longer one.
TABLES = """
SELECT DISTINCT ON (relname) report, relname FROM pg_class
JOIN (SELECT report FROM reporting.report UNION SELECT report FROM reporting.release) AS known
    ON starts_with(relname, report || '__')
WHERE relnamespace = to_regnamespace(%s) AND relkind = 'r' AND right(relname, 10) = '__releases'
ORDER BY relname, length(report) DESC
"""
# Jumps from one release to the next along the primary key; to scan all rows would take minutes.
UNKNOWN = """
WITH RECURSIVE kept AS (
    (SELECT release_id FROM {rows} ORDER BY release_id LIMIT 1)
    UNION ALL
    SELECT (SELECT t.release_id FROM {rows} AS t WHERE t.release_id > kept.release_id
            ORDER BY t.release_id LIMIT 1)
    FROM kept WHERE kept.release_id IS NOT NULL
)
SELECT k.release_id, (SELECT count(*) FROM {rows} AS t WHERE t.release_id = k.release_id)
FROM kept AS k WHERE k.release_id IS NOT NULL
    AND NOT EXISTS (SELECT FROM reporting.release AS r WHERE r.release_id = k.release_id)
"""


@dataclass(frozen=True)
class ResultTable:
    """A table of schema `results` that holds all releases of a report's table."""

    report: str
    name: str


def published_rows(here: Installation, _scope: Scope, release: Published) -> list[Difference]:
    """Compare the rows of a release with the number it was published with."""
    found = []
    for table, rows in release.row_counts.items():
        count = _count(here, rows_name(release.report, table), release.release_id)
        if count != rows:
            got = "no such table" if count is None else f"{count} rows"
            pair = (f"{rows} rows", got)
            what = release.named(f"table {table}")
            found.append(release.differs(PUBLISHED_ROWS, what, pair, STORE))
    return found


def result_tables(here: Installation, scope: Scope) -> Iterator[ResultTable]:
    """Yield the result tables of the reports in scope."""
    if scope.run_id is None:
        for report, name in here.places.warehouse.execute(TABLES, (SCHEMA,)).fetchall():
            if scope.report in (None, report):
                yield ResultTable(report, name)


def unknown_releases(here: Installation, _scope: Scope, table: ResultTable) -> list[Difference]:
    """Return the rows of releases that do not exist; no view shows them."""
    from psycopg import sql

    rows = sql.Identifier(SCHEMA, table.name)
    found = here.places.warehouse.execute(sql.SQL(UNKNOWN).format(rows=rows)).fetchall()
    return [
        Difference(
            UNKNOWN_RELEASE,
            table.report,
            None,
            f"{SCHEMA}.{table.name}, release {release_id}",
            "a row in reporting.release",
            f"none, and {count} rows",
            "decide",
            f'DELETE FROM {SCHEMA}."{table.name}" WHERE release_id = {release_id};',  # noqa: S608
        )
        for release_id, count in found
    ]


def _count(here: Installation, name: str, release_id: int) -> int | None:
    """Return how many rows of a release a table has; None when there is no such table."""
    from psycopg import sql
    from psycopg.errors import UndefinedTable

    query = sql.SQL("SELECT count(*) FROM {} WHERE release_id = %s")
    try:
        row = here.places.warehouse.execute(
            query.format(sql.Identifier(SCHEMA, name)), (release_id,)
        ).fetchone()
    except UndefinedTable:
        return None
    return None if row is None else int(row[0])
