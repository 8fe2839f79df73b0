"""A peer: dlt, from a table to Parquet in the store; runs in an environment of its own."""

from __future__ import annotations

import json
import os
from tempfile import mkdtemp
from typing import Any

import connectorx  # type: ignore[import-not-found]
import dlt  # type: ignore[import-not-found]
import psycopg
import pyarrow.parquet
import s3fs  # type: ignore[import-not-found]
from dlt.destinations import filesystem  # type: ignore[import-not-found]
from dlt.destinations.impl.filesystem import filesystem as loader  # type: ignore[import-not-found]
from dlt.sources.sql_database import sql_table  # type: ignore[import-not-found]

# Imported here, so that the measured time holds no import.
PARTS = (connectorx, psycopg, pyarrow.parquet, s3fs, loader)
# connectorx keeps all rows in memory unless told otherwise, and is no faster then.
BACKENDS: dict[str, dict[str, Any]] = {
    "connectorx": {"backend_kwargs": {"return_type": "arrow_stream", "batch_size": 100_000}},
    "pyarrow": {"chunk_size": 50_000},
}


def work(table: str, schema: str, backend: str, bucket: str, folder: str) -> None:
    """Copy a table with one of dlt's backends: extract, normalize and load."""
    source = sql_table(_address(), table, schema=schema, backend=backend, **BACKENDS[backend])
    pipeline = dlt.pipeline(
        f"bench_{backend}",
        pipelines_dir=mkdtemp(dir=folder),
        destination=_destination(bucket),
        dataset_name=f"dlt_{backend}",
    )
    pipeline.run(source, loader_file_format="parquet")


def _address() -> str:
    known = _connection("OPERATIONS_DB")
    login = f"{known['login']}:{known['password']}"
    return f"postgresql://{login}@{known['host']}:{known['port']}/{known['schema']}"


def _destination(bucket: str) -> Any:
    known = _connection("REPORT_STORE")
    return filesystem(
        f"s3://{bucket}/dlt",
        credentials={
            "aws_access_key_id": known["login"],
            "aws_secret_access_key": known["password"],
            "endpoint_url": known["extra"]["endpoint_url"],
            "region_name": known["extra"]["region_name"],
        },
    )


def _connection(name: str) -> dict[str, Any]:
    known: dict[str, Any] = json.loads(os.environ[f"AIRFLOW_CONN_{name}"])
    return known
