"""Reads what is published: releases with their rows, and the views as readers see them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg import sql
from psycopg.rows import dict_row

from tests.faults.found import FoundRelease
from tests.faults.subject import Figures, figures

SCHEMA, ALL = "results", "__releases"
TABLES = "SELECT table_name FROM information_schema.tables WHERE table_schema = %s"
RELEASES = """
SELECT r.report, r.period, r.request_key, r.run_id, r.clear_number, r.started, r.files,
    r.release_id, c.release_id IS NOT NULL, r.missing <> '{}'
FROM reporting.release AS r LEFT JOIN reporting.current_release AS c USING (release_id)
WHERE r.report = ANY (%s)
"""
LACKING = "SELECT 1 FROM reporting.release WHERE release_id = ANY (%s) AND missing <> '{}'"
Connection = psycopg.Connection[Any]


def releases(connection: Connection, reports: Sequence[str]) -> list[FoundRelease]:
    """Return every release of some reports, with all its rows."""
    tables = {report: _tables(connection, report) for report in reports}
    found = connection.execute(RELEASES, (list(reports),)).fetchall()
    return [_release(connection, row, tables[row[0]]) for row in found]


def _release(connection: Connection, row: tuple[Any, ...], tables: Sequence[str]) -> FoundRelease:
    report, period, request_key, *life, files, number, is_current, lacks_sources = row
    rows = {
        table: _rows(connection, f"{report}__{table}{ALL}", "release_id", number)
        for table in tables
    }
    return FoundRelease(
        report,
        period,
        request_key,
        (life[0], life[1], life[2]),
        is_current=is_current,
        figures=figures(rows),
        files=tuple(files),
        lacks_sources=lacks_sources,
    )


@dataclass(frozen=True)
class Seen:
    """What readers see of a period at one moment.

    Attributes:
        figures: rows of all tables that have any.
        releases: the releases they belong to.
        lacks_sources: whether one was made without an optional source, and so has other figures.
    """

    figures: Figures
    releases: frozenset[int]
    lacks_sources: bool


def seen(connection: Connection, report: str, period: str) -> Seen:
    """Look at a period as readers do, at one moment."""
    with connection.transaction():
        connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        tables = _tables(connection, report)
        rows = {
            table: _rows(connection, f"{report}__{table}", "period", period) for table in tables
        }
        every = [row for found in rows.values() for row in found]
        ids = frozenset(row.pop("release_id") for row in every)
        # Before the first release there is not even a table of them.
        lacking = connection.execute(LACKING, (list(ids),)).fetchone() if ids else None
    for row in every:
        del row["period"]
    held = figures({table: found for table, found in rows.items() if found})
    return Seen(held, ids, lacks_sources=lacking is not None)


def _tables(connection: Connection, report: str) -> list[str]:
    names = [name for (name,) in connection.execute(TABLES, (SCHEMA,))]
    own = [name for name in names if name.startswith(f"{report}__") and name.endswith(ALL)]
    return [name.removeprefix(f"{report}__").removesuffix(ALL) for name in sorted(own)]


def _rows(connection: Connection, relation: str, column: str, value: Any) -> list[dict[str, Any]]:
    query = sql.SQL("SELECT * FROM {} WHERE {} = %s").format(
        sql.Identifier(SCHEMA, relation), sql.Identifier(column)
    )
    with connection.cursor(row_factory=dict_row) as cursor:
        rows = cursor.execute(query, (value,)).fetchall()
    if column == "release_id":
        for row in rows:
            del row["release_id"]
    return rows
