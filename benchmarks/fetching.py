"""Fetch a table: PostgreSQL to Parquet in the store, as a task `fetch_<source>` does it.

The floor is `psql -c "COPY (…) TO STDOUT" > /dev/null` and then boto3's own multipart upload of the
Parquet files that ours has written: the two ends of the way and nothing between them. The peers are
`SqlToS3Operator` of Airflow's Amazon provider and dlt with two of its backends, of which the
quicker counts. dlt runs in an environment of its own: its S3 extra does not go with the packages
that Airflow pins.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.dlt_environment import SETTINGS, dlt_python, dlt_version
from benchmarks.figure import Figure, ratio, times_quicker
from benchmarks.measured import Measured, measured
from benchmarks.rows import query
from benchmarks.stand import BUCKET, Stand
from benchmarks.turns import in_turns
from embedded_stack import databases, store

if TYPE_CHECKING:
    from benchmarks.options import Options

OVER_FLOOR, OVER_OPERATOR, OVER_DLT = 1.9, 5, 3
OURS, COPY, UPLOAD, OPERATOR = "ours", "psql COPY", "upload", "SqlToS3Operator"
BACKENDS = ("connectorx", "pyarrow")


def measure(stand: Stand, options: Options) -> list[Figure]:
    """Return ours against the floor, against the operator and against dlt."""
    table = stand.rows_table(options.rows)
    sql = query(table)
    parts = download(stand, fetch(stand, sql, "first"))
    contenders: dict[str, Callable[[], float]] = {
        OURS: lambda: fetch(stand, sql, "again").seconds,
        COPY: lambda: stand.psql(databases.OPERATIONS, f"COPY ({sql}) TO STDOUT"),
        UPLOAD: lambda: _peer(stand, "upload", folder=str(parts), bucket=BUCKET),
        OPERATOR: lambda: _peer(stand, "sql_to_s3", sql=sql, bucket=BUCKET),
        **{name: partial(_dlt, stand, dlt_python(), table, name) for name in BACKENDS},
    }
    return _figures(in_turns(contenders, options.rounds, stand.settle), options)


def fetch(stand: Stand, sql: str, report: str) -> Measured:
    """Fetch the rows of a query under the name of a report; what it staged is in the facts."""
    return measured("fetch", stand.environment(), sql=sql, report=report)


def download(stand: Stand, fetched: Measured) -> Path:
    """Return a new folder with the Parquet files of a fetch."""
    keys: list[str] = fetched.facts["keys"]
    folder = stand.folder / keys[0].partition("/")[0]  # named by the report
    folder.mkdir()
    client = store.client(stand.stack.layout)
    for number, key in enumerate(keys):
        client.download_file(BUCKET, key, str(folder / f"{number}.parquet"))
    return folder


def _peer(stand: Stand, work: str, **arguments: str) -> float:
    return measured(work, stand.environment(), **arguments).seconds


def _dlt(stand: Stand, python: str, table: str, backend: str) -> float:
    arguments = {
        "table": table,
        "schema": databases.OPERATIONS.name,
        "backend": backend,
        "bucket": BUCKET,
        "folder": str(stand.folder),
    }
    return measured("dlt_copy", stand.environment() | SETTINGS, python, **arguments).seconds


def _figures(seconds: dict[str, float], options: Options) -> list[Figure]:
    ours, floor = seconds[OURS], seconds[COPY] + seconds[UPLOAD]
    quickest = min(BACKENDS, key=lambda name: seconds[name])
    told = " and ".join(f"{name} {seconds[name]:.1f} s" for name in BACKENDS)
    what = f"fetch {options.rows:,} rows"
    return [
        Figure(
            what,
            ratio(ours, floor),
            "x",
            OVER_FLOOR,
            f"psql COPY {seconds[COPY]:.1f} s + bare upload {seconds[UPLOAD]:.1f} s; "
            f"ours: {ours:.1f} s",
        ),
        times_quicker(
            what,
            "SqlToS3Operator",
            seconds[OPERATOR] / ours,
            OVER_OPERATOR,
            f"{seconds[OPERATOR]:.1f} s",
        ),
        times_quicker(
            what, "dlt", seconds[quickest] / ours, OVER_DLT, f"dlt {dlt_version('dlt')} with {told}"
        ),
    ]
