"""Which runs have staged data, and which files their releases name."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datetime import datetime

    import psycopg

    from reporting.core.run import Run, RunId


@dataclass(frozen=True)
class StagedRun:
    """A run that has, or may have, staged data.

    Attributes:
        report: report name.
        run_id: Airflow's run id.
        period: period key.
    """

    report: str
    run_id: str
    period: str


def register_staging(connection: psycopg.Connection[Any], run: Run, keep: timedelta) -> None:
    """Note that the run is about to stage data, before it stages any."""
    connection.execute(
        "INSERT INTO reporting.staged_run (report, run_id, request_key, period, keep_seconds) "
        "VALUES (%s, %s, %s, %s, %s) ON CONFLICT (report, run_id) DO UPDATE "
        "SET keep_until = NULL, keep_seconds = excluded.keep_seconds, "
        "request_key = excluded.request_key, period = excluded.period",
        (run.id.report, run.id.run_id, run.request_key, run.period.key, keep.total_seconds()),
    )


def find_staged(connection: psycopg.Connection[Any], run: RunId) -> StagedRun | None:
    """Return the run's note, if it has one."""
    row = connection.execute(
        "SELECT report, run_id, period FROM reporting.staged_run WHERE report = %s AND run_id = %s",
        (run.report, run.run_id),
    ).fetchone()
    return None if row is None else StagedRun(*row)


def keep_of(connection: psycopg.Connection[Any], run: RunId) -> timedelta:
    """Return for how long the run's staged data is kept; not at all without a note."""
    row = connection.execute(
        "SELECT keep_seconds FROM reporting.staged_run WHERE report = %s AND run_id = %s",
        (run.report, run.run_id),
    ).fetchone()
    return timedelta(seconds=0 if row is None else row[0])


def start_keeping(connection: psycopg.Connection[Any], run: RunId) -> None:
    """Start the time for which the ended run's staged data is kept."""
    connection.execute(
        "UPDATE reporting.staged_run SET keep_until = now() + keep_seconds * interval '1 second' "
        "WHERE report = %s AND run_id = %s",
        (run.report, run.run_id),
    )


def stop_keeping(connection: psycopg.Connection[Any], run: RunId) -> None:
    """Make the run an open one: something is left that has to be undone first."""
    connection.execute(
        "UPDATE reporting.staged_run SET keep_until = NULL WHERE report = %s AND run_id = %s",
        (run.report, run.run_id),
    )


def is_open(connection: psycopg.Connection[Any], run: RunId) -> bool:
    """Say whether the run is among the `open_runs`."""
    found = connection.execute(
        "SELECT 1 FROM reporting.staged_run "
        "WHERE report = %(report)s AND run_id = %(run_id)s AND keep_until IS NULL "
        "UNION ALL SELECT 1 FROM reporting.claim "
        "WHERE report = %(report)s AND run_id = %(run_id)s",
        {"report": run.report, "run_id": run.run_id},
    )
    return found.fetchone() is not None


def open_runs(connection: psycopg.Connection[Any]) -> list[StagedRun]:
    """Return the runs that have neither published nor been compensated, or hold a claim."""
    rows = connection.execute(
        "SELECT report, run_id, period FROM reporting.staged_run WHERE keep_until IS NULL "
        "UNION SELECT report, run_id, coalesce(s.period, '') FROM reporting.claim "
        "LEFT JOIN reporting.staged_run AS s USING (report, run_id)"
    ).fetchall()
    return [StagedRun(*row) for row in rows]


def expired_runs(connection: psycopg.Connection[Any]) -> list[StagedRun]:
    """Return the runs whose staged data is past its time and that hold no claim."""
    rows = connection.execute(
        "SELECT report, run_id, period FROM reporting.staged_run AS s "
        "WHERE keep_until <= now() AND NOT EXISTS (SELECT 1 FROM reporting.claim AS c "
        "WHERE c.report = s.report AND c.run_id = s.run_id)"
    ).fetchall()
    return [StagedRun(*row) for row in rows]


def is_expired(connection: psycopg.Connection[Any], run: RunId, before: datetime) -> bool:
    """Say whether the run's staged data was past its time at an instant, and it holds no claim."""
    found = connection.execute(
        "SELECT FROM reporting.staged_run AS s WHERE report = %s AND run_id = %s "
        "AND keep_until <= %s AND NOT EXISTS (SELECT FROM reporting.claim AS c "
        "WHERE c.report = s.report AND c.run_id = s.run_id)",
        (run.report, run.run_id, before),
    )
    return found.fetchone() is not None


def forget_staging(connection: psycopg.Connection[Any], run: RunId) -> None:
    """Drop the note once nothing is staged any more."""
    connection.execute(
        "DELETE FROM reporting.staged_run WHERE report = %s AND run_id = %s",
        (run.report, run.run_id),
    )


def published_files(connection: psycopg.Connection[Any], run: RunId) -> frozenset[str]:
    """Return the file keys that releases of the run name."""
    rows = connection.execute(
        "SELECT jsonb_array_elements_text(files) FROM reporting.release "
        "WHERE report = %s AND run_id = %s",
        (run.report, run.run_id),
    ).fetchall()
    return frozenset(row[0] for row in rows)
