"""Publishing: one transaction moves readers from one whole release to the next (R11, R32)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reporting.core.run import canonical
from reporting.core.warehouse.load import load_rows
from reporting.core.warehouse.relation import ensure_relations
from reporting.errors import ClaimError

if TYPE_CHECKING:
    from datetime import datetime

    import psycopg
    import pyarrow as pa

    from reporting.core.run import Run, RunId
    from reporting.definition.report import Report

INSERT = """
INSERT INTO reporting.release (report, period, request_key, version, params, is_default, run_id,
    clear_number, started, fingerprint, row_counts, sources, missing, files)
SELECT %(report)s, %(period)s, %(request_key)s, coalesce(max(version), 0) + 1, %(params)s,
    %(is_default)s, %(run_id)s, %(clear_number)s, %(started)s, %(fingerprint)s, %(row_counts)s,
    %(sources)s, %(missing)s, %(files)s
FROM reporting.release WHERE report = %(report)s AND request_key = %(request_key)s
RETURNING release_id, version
"""
FIND = """
SELECT release_id, version, row_counts, files, missing FROM reporting.release
WHERE report = %s AND run_id = %s AND clear_number = %s AND started = %s
"""
POINT = """
INSERT INTO reporting.current_release (report, request_key, release_id) VALUES (%s, %s, %s)
ON CONFLICT (report, request_key) DO UPDATE SET release_id = excluded.release_id
"""
SUPERSEDE = """
DELETE FROM reporting.current_release AS c USING reporting.release AS r
WHERE r.release_id = c.release_id AND r.report = %s AND r.period = %s AND r.is_default
AND r.release_id <> %s
"""


@dataclass(frozen=True)
class Release:
    """One published version.

    Attributes:
        release_id: unique in the warehouse.
        version: 1, 2, … per business key.
        row_counts: rows per table.
        files: object keys in the reports bucket.
        missing: optional sources it was made without, with the reason.
    """

    release_id: int
    version: int
    row_counts: Mapping[str, int]
    files: tuple[str, ...]
    missing: Mapping[str, str]


@dataclass(frozen=True)
class Edition:
    """What is about to be published.

    Attributes:
        tables: data per table name, of the declared types.
        fingerprint: digest of everything the data depends on.
        sources: facts per staged source.
        missing: optional sources left out, with the reason.
        files: object keys, already written.
    """

    tables: Mapping[str, pa.Table]
    fingerprint: str
    sources: Mapping[str, Any]
    missing: Mapping[str, str]
    files: tuple[str, ...]


def find_release(connection: psycopg.Connection[Any], run: RunId) -> Release | None:
    """Return what this life of the run has published already, if anything."""
    life = (run.report, run.run_id, run.clear_number, run.started)
    row = connection.execute(FIND, life).fetchone()
    return None if row is None else Release(row[0], row[1], row[2], tuple(row[3]), row[4])


def published_since(connection: psycopg.Connection[Any], run: Run, since: datetime) -> str | None:
    """Return the run that published the same request after `since`, if one did."""
    row = connection.execute(
        "SELECT run_id FROM reporting.release WHERE report = %s AND request_key = %s "
        "AND published_at > %s ORDER BY published_at DESC LIMIT 1",
        (run.id.report, run.request_key, since),
    ).fetchone()
    return None if row is None else str(row[0])


def publish(
    connection: psycopg.Connection[Any], report: Report, run: Run, edition: Edition
) -> Release:
    """Publish all tables in one transaction: the pivot.

    Readers see the release before or this one, whole. The claim is given up with it. A life of a
    run publishes once: a second attempt gets the release of the first. Of the releases made with
    default params only one is current per period, also when the defaults have changed since.

    Raises:
        ClaimError: the run does not hold the claim any more; nothing was published.
        IntegrityError: rows were lost on the way; nothing was published.
    """
    with connection.transaction():
        _lock(connection, run)
        if (found := find_release(connection, run.id)) is not None:
            return found
        _demand_claim(connection, run)
        release_id, version = _insert(connection, run, edition)
        for table in report.tables:
            ensure_relations(connection, report.name, table)
            load_rows(connection, report.name, table, edition.tables[table.name], release_id)
        connection.execute(POINT, (report.name, run.request_key, release_id))
        if run.is_default:
            connection.execute(SUPERSEDE, (report.name, run.period.key, release_id))
        _end_run(connection, run)
    counts = {name: table.num_rows for name, table in edition.tables.items()}
    return Release(release_id, version, counts, edition.files, edition.missing)


def _lock(connection: psycopg.Connection[Any], run: Run) -> None:
    # One writer per report: it also creates and extends the report's relations.
    connection.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", (run.id.report,))


def _demand_claim(connection: psycopg.Connection[Any], run: Run) -> None:
    held = connection.execute(
        "SELECT 1 FROM reporting.claim WHERE report = %s AND request_key = %s AND run_id = %s "
        "FOR UPDATE",
        (run.id.report, run.request_key, run.id.run_id),
    ).fetchone()
    if held is None:
        raise ClaimError(
            f"Run {run.id.run_id!r} does not hold the claim on {run.id.report!r}, period "
            f"{run.period.key}, any more; nothing was published. Trigger the report again."
        )


def _insert(connection: psycopg.Connection[Any], run: Run, edition: Edition) -> tuple[int, int]:
    counts = {name: table.num_rows for name, table in edition.tables.items()}
    row = connection.execute(
        INSERT,
        {
            "report": run.id.report,
            "period": run.period.key,
            "request_key": run.request_key,
            "params": canonical(run.params),
            "is_default": run.is_default,
            "run_id": run.id.run_id,
            "clear_number": run.id.clear_number,
            "started": run.id.started,
            "fingerprint": edition.fingerprint,
            "row_counts": json.dumps(counts),
            "sources": json.dumps(edition.sources),
            "missing": json.dumps(edition.missing),
            "files": json.dumps(edition.files),
        },
    ).fetchone()
    assert row is not None  # noqa: S101 - INSERT … RETURNING gives one row
    return row[0], row[1]


def _end_run(connection: psycopg.Connection[Any], run: Run) -> None:
    key = (run.id.report, run.id.run_id)
    connection.execute("DELETE FROM reporting.claim WHERE report = %s AND run_id = %s", key)
    connection.execute(
        "UPDATE reporting.staged_run SET keep_until = now() + keep_seconds * interval '1 second' "
        "WHERE report = %s AND run_id = %s",
        key,
    )
