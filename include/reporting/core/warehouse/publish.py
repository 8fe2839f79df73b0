"""Publishing: one transaction moves readers from one whole release to the next (R11, R32)."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from reporting.core.run import canonical
from reporting.core.warehouse.broken_off import ended_when_broken_off
from reporting.core.warehouse.claim import release_claims
from reporting.core.warehouse.conflict import despite_conflicts
from reporting.core.warehouse.load import load_rows
from reporting.core.warehouse.quarantined import keep_quarantined
from reporting.core.warehouse.relation import ensure_relations
from reporting.core.warehouse.release import Edition, Release, find_release, quarantined_in
from reporting.core.warehouse.runs import start_keeping
from reporting.errors import ClaimError

if TYPE_CHECKING:
    import psycopg

    from reporting.core.run import Run
    from reporting.definition.report import Report

Guard = Callable[[], None]

# Role and database may have settings of their own. What is read after the lock must be what its
# last holder committed, NULL in a list must not become text, and a name may have any letter.
OPEN = """
SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
SET LOCAL array_nulls = on;
SET LOCAL client_encoding = 'UTF8'
"""
INSERT = """
INSERT INTO reporting.release (report, period, request_key, version, params, is_default, run_id,
    clear_number, started, fingerprint, row_counts, sources, missing, files,
    file_facts)
SELECT %(report)s, %(period)s, %(request_key)s, coalesce(max(version), 0) + 1, %(params)s,
    %(is_default)s, %(run_id)s, %(clear_number)s, %(started)s, %(fingerprint)s, %(row_counts)s,
    %(sources)s, %(missing)s, %(files)s, %(file_facts)s
FROM reporting.release WHERE report = %(report)s AND request_key = %(request_key)s
RETURNING release_id, version
"""
POINT = """
INSERT INTO reporting.current_release (report, request_key, release_id) VALUES (%s, %s, %s)
ON CONFLICT (report, request_key) DO UPDATE SET release_id = excluded.release_id
"""
SUPERSEDE = """
DELETE FROM reporting.current_release AS c USING reporting.release AS r
WHERE r.report = %s AND r.period = %s AND r.is_default AND r.release_id <> %s
AND (c.report, c.request_key, c.release_id) = (r.report, r.request_key, r.release_id)
"""


def _allow() -> None:
    """Let every commit be."""


def publish(
    connection: psycopg.Connection[Any],
    report: Report,
    run: Run,
    edition: Edition,
    guard: Guard = _allow,
) -> Release:
    """Publish all tables in one transaction: the pivot.

    Readers see the release before or this one, whole. The claim is given up with it. A life of a
    run publishes once: a second attempt gets the release of the first. Of the releases made with
    default params only one is current per period, also when the defaults have changed since.

    A deadlock with another session does not end it: the transaction is done again.

    Args:
        connection: to the warehouse; autocommit.
        report: whose tables they are.
        run: that publishes.
        edition: what is published.
        guard: asked last before the commit, when who removes what the run has made has to wait;
            what it raises rolls everything back.

    Raises:
        ClaimError: the run does not hold the claim any more; nothing was published.
        ContractError: the warehouse keeps a table otherwise than declared; nothing was published.
        IntegrityError: rows were lost on the way; nothing was published.
    """
    with ended_when_broken_off(connection):
        return despite_conflicts(lambda: _published(connection, report, run, edition, guard))


def _published(
    connection: psycopg.Connection[Any], report: Report, run: Run, edition: Edition, guard: Guard
) -> Release:
    with connection.transaction():
        connection.execute(OPEN)
        lock_report(connection, run.id.report)
        if (found := find_release(connection, run.id)) is not None:
            return found
        _demand_claim(connection, run)
        release_id, version = _insert(connection, run, edition)
        for table in report.tables:
            ensure_relations(connection, report.name, table)
            load_rows(connection, report.name, table, edition.tables[table.name], release_id)
        keep_quarantined(connection, release_id, edition.quarantined)
        connection.execute(POINT, (report.name, run.request_key, release_id))
        if run.is_default:
            connection.execute(SUPERSEDE, (report.name, run.period.key, release_id))
        release_claims(connection, run.id)
        start_keeping(connection, run.id)  # locks the note, see `fence`
        guard()
    return Release(
        release_id,
        version,
        edition.row_counts,
        edition.files,
        edition.missing,
        quarantined_in(edition.sources),
    )


def lock_report(connection: psycopg.Connection[Any], report: str) -> None:
    """Let nobody else publish the report, or move what its readers see, until the transaction ends.

    One writer per report: it also creates and extends the report's relations.
    """
    connection.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", (report,))


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
            "row_counts": json.dumps(edition.row_counts),
            "sources": json.dumps(edition.sources),
            "missing": json.dumps(edition.missing),
            "files": json.dumps(edition.files),
            "file_facts": json.dumps({key: asdict(f) for key, f in edition.file_facts.items()}),
        },
    ).fetchone()
    assert row is not None  # noqa: S101 - INSERT … RETURNING gives one row
    return row[0], row[1]
