"""Ours: PostgreSQL to verified Parquet in the store, as the task `fetch_<source>` does it."""

from __future__ import annotations

from typing import Any

from benchmarks.work.specimen import SOURCE, a_run, a_source
from reporting.airflow_edge.connections import postgres, staging_bucket
from reporting.core.fetch.postgres import fetch_postgres
from reporting.core.staging import Staging


def work(sql: str, report: str) -> dict[str, Any]:
    """Stage the rows of a query and commit them; return rows, bytes and keys."""
    run, source = a_run(report), a_source(sql)
    staging = Staging(staging_bucket(), run.id)
    with staging.attempt(SOURCE, source.schema) as attempt:
        facts = fetch_postgres(source, lambda: postgres(source.conn_id), sql, run, attempt)
        manifest = attempt.commit(facts)
    keys = [part.key for part in manifest.parts]
    return {"rows": manifest.rows, "bytes": manifest.size, "keys": keys}
