"""A peer: `PostgresHook.insert_rows`, from tuples in memory into a table that is there."""

from __future__ import annotations

from typing import Any

import psycopg
import pyarrow.parquet as pq
from airflow.providers.postgres.hooks.postgres import PostgresHook

PARTS = (psycopg,)  # imported outside the measured time


def prepare(folder: str, table: str) -> dict[str, Any]:
    """Read the rows that are to be written."""
    data = pq.read_table(folder)
    rows = list(zip(*(column.to_pylist() for column in data.columns), strict=True))
    return {"rows": rows, "columns": data.schema.names, "table": table}


def work(rows: list[tuple[Any, ...]], columns: list[str], table: str) -> None:
    """Write the rows."""
    hook: Any = PostgresHook("report_warehouse")  # the method has no types
    hook.insert_rows(table, rows, target_fields=columns)
