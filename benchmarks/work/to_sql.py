"""A peer: `DataFrame.to_sql(method="multi")`, from a frame in memory into a table that is there."""

from __future__ import annotations

from typing import Any

import pandas as pd
import psycopg
import sqlalchemy as sa
import sqlalchemy.dialects.postgresql
from airflow.providers.postgres.hooks.postgres import PostgresHook

PARTS = (psycopg, sqlalchemy.dialects.postgresql)  # imported outside the measured time
CHUNK_ROWS = 100  # more rows at once are slower, down to a third with 1,000
# pandas takes decimals for text.
TYPES: dict[str, Any] = {"amount": sa.Numeric(12, 2), "rate": sa.Numeric(20, 6)}


def prepare(folder: str, table: str) -> dict[str, Any]:
    """Read the frame that is to be written."""
    return {"frame": pd.read_parquet(folder), "table": table}


def work(frame: pd.DataFrame, table: str) -> None:
    """Write the frame."""
    engine = PostgresHook("report_warehouse").get_sqlalchemy_engine()
    frame.to_sql(
        table,
        engine,
        if_exists="append",
        index=False,
        chunksize=CHUNK_ROWS,
        dtype=TYPES,
        method="multi",
    )
