r"""Publish a table: a staged result to the warehouse, as the task `store` does it without exports.

Ours reads the Parquet from the store, verifies it, creates table and views and publishes in one
transaction. The floor is `psql -c "\copy … FROM …"` of a CSV file on the local disk into an empty
table of the same columns and the same primary key. `DataFrame.to_sql(method="multi")` and
`PostgresHook.insert_rows` start with the data in memory and write into the same table. `to_sql`
writes fewer rows and its time is scaled up, since all rows would take it minutes.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from psycopg import sql

from benchmarks.fetching import download, fetch
from benchmarks.figure import Figure, ratio, times_quicker
from benchmarks.measured import measured
from benchmarks.rows import COLUMNS, TABLE, query
from benchmarks.turns import in_turns
from embedded_stack import databases, postgres
from reporting.core.warehouse.relation import SCHEMA, rows_name

if TYPE_CHECKING:
    from benchmarks.options import Options
    from benchmarks.stand import Stand

OVER_FLOOR, OVER_INSERTS = 1.6, 15
OURS, COPY = "ours", "psql \\copy"
TO_SQL, INSERT_ROWS = "DataFrame.to_sql", "PostgresHook.insert_rows"
STAGED, PEER = "staged", "peer"


def measure(stand: Stand, options: Options) -> list[Figure]:
    """Return ours against the floor and against both peers that insert."""
    table = stand.rows_table(options.published_rows)
    csv = stand.folder / "rows.csv"
    stand.psql(databases.OPERATIONS, f"\\copy ({query(table)}) TO '{csv}' (FORMAT csv)")
    rows = download(stand, fetch(stand, query(table), STAGED))
    few = download(stand, fetch(stand, query(stand.rows_table(options.few_rows)), "few"))
    measured("stage_result", stand.environment(), report=STAGED)
    names = (f"published_{number}" for number in count())
    like = next(names)
    _publish(stand, like)  # the peers' tables are made like this one
    contenders: dict[str, Callable[[], float]] = {
        OURS: lambda: _publish(stand, next(names)),
        COPY: lambda: _copy(stand, like, csv),
        TO_SQL: lambda: _insert(stand, like, "to_sql", few),
        INSERT_ROWS: lambda: _insert(stand, like, "insert_rows", rows),
    }
    return _figures(in_turns(contenders, options.rounds, stand.settle), options)


def _publish(stand: Stand, report: str) -> float:
    return measured("publish", stand.environment(), staged=STAGED, report=report).seconds


def _copy(stand: Stand, like: str, csv: Path) -> float:
    _empty_table(stand, like)
    columns = ", ".join(COLUMNS)
    command = f"\\copy {PEER} ({columns}) FROM '{csv}' (FORMAT csv)"
    return stand.psql(databases.WAREHOUSE, command)


def _insert(stand: Stand, like: str, work: str, rows: Path) -> float:
    _empty_table(stand, like)
    return measured(work, stand.environment(), folder=str(rows), table=PEER).seconds


def _empty_table(stand: Stand, like: str) -> None:
    """Make the peers' table anew: columns and key of ours, and a release number by default."""
    names = {"peer": sql.Identifier(PEER), "ours": sql.Identifier(SCHEMA, rows_name(like, TABLE))}
    warehouse = databases.WAREHOUSE
    with postgres.connect(stand.stack.layout, warehouse.name, warehouse.owner) as connection:
        for statement in (
            "DROP TABLE IF EXISTS {peer}",
            "CREATE TABLE {peer} (LIKE {ours} INCLUDING ALL)",
            "ALTER TABLE {peer} ALTER release_id SET DEFAULT 1",
        ):
            connection.execute(sql.SQL(statement).format(**names))


def _figures(seconds: dict[str, float], options: Options) -> list[Figure]:
    ours, floor, to_sql = seconds[OURS], seconds[COPY], seconds[TO_SQL]
    what = f"publish {options.published_rows:,} rows"
    compared = f"psql \\copy from a CSV file {floor:.1f} s; ours: {ours:.1f} s"
    all_rows = to_sql * options.published_rows / options.few_rows
    scaled = f"{all_rows:.0f} s, scaled from {options.few_rows:,} rows in {to_sql:.1f} s"
    inserted = f"{seconds[INSERT_ROWS]:.1f} s"
    return [
        Figure(what, ratio(ours, floor), "x", OVER_FLOOR, compared),
        times_quicker(what, TO_SQL, all_rows / ours, OVER_INSERTS, scaled),
        times_quicker(what, INSERT_ROWS, seconds[INSERT_ROWS] / ours, OVER_INSERTS, inserted),
    ]
