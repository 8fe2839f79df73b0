"""Fetches from a real PostgreSQL, and reads back what is staged."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import psycopg
import pyarrow as pa

from embedded_stack.conditions import wait_for
from reporting.core.fetch.postgres import fetch_postgres
from reporting.core.fetch.snapshot import Connect
from reporting.core.inputs import Inputs
from reporting.core.manifest import Manifest
from reporting.core.staging import Staging
from tests.integration.running_threads import running
from tests.integration.staged_tables import left
from tests.specimens import a_run, a_source

Connection = psycopg.Connection[Any]


def connecting(dsn: str, **options: Any) -> Connect:
    """Return what opens a connection of its own each time, as the Airflow step does."""

    @contextmanager
    def connect() -> Iterator[Connection]:
        with psycopg.connect(dsn, autocommit=True, **options) as connection:
            yield connection

    return connect


def fetch_only(
    staging: Staging, at: Connection | Connect, sql: str, *, params: Any = None, **source: Any
) -> Manifest:
    """Fetch from a connection, or from what opens some, and commit."""
    declared = a_source(**source)
    connect: Connect = (lambda: nullcontext(at)) if isinstance(at, psycopg.Connection) else at
    with staging.attempt("orders", declared.schema) as attempt:
        facts = fetch_postgres(declared, connect, sql, a_run(params=params), attempt)
        manifest = attempt.commit(facts)
    assert facts["expected_rows"] == manifest.rows + len(attempt.refused)
    return manifest


def inputs_of(staging: Staging, manifest: Manifest) -> Inputs:
    """Return what a compute function gets."""
    return Inputs(a_run(), staging.bucket, {"orders": manifest}, {"orders": manifest.schema})


def fetch(
    staging: Staging, at: Connection | Connect, sql: str, *, params: Any = None, **source: Any
) -> pa.Table:
    """Fetch, commit and read back."""
    manifest = fetch_only(staging, at, sql, params=params, **source)
    return inputs_of(staging, manifest).table("orders")


def sessions(database: str) -> list[tuple[str, str]]:
    """Return state and query of every other session of the database."""
    with psycopg.connect(database, autocommit=True) as looking:
        return looking.execute(
            "SELECT state, query FROM pg_stat_activity WHERE datname = current_database()"
            " AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
        ).fetchall()


def threads() -> list[str]:
    """Return the threads that a fetch starts and that have not ended."""
    return [name for ours in ("made-ahead", "shard", "upload") for name in running(ours)]


def demand_nothing_left(staging: Staging, database: str) -> None:
    """Demand that a fetch which has failed left no thread, no session and no object."""
    assert threads() == []
    wait_for(
        lambda: None if sessions(database) else True,  # the server ends them a moment later
        seconds=10,
        otherwise=lambda: f"still there: {sessions(database)}",
    )
    assert left(staging.bucket, staging.run.prefix) == []


def is_idle(connection: Connection) -> bool:
    return connection.info.transaction_status == psycopg.pq.TransactionStatus.IDLE
