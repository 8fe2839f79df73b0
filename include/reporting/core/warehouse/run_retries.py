"""Which failed runs are run again: one decision per life of a run, kept and never forgotten."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from reporting.core.run_retry import PATIENCE, Plan

if TYPE_CHECKING:
    import psycopg

    from reporting.core.run import RunId

# A life counts as run again only when the janitor, not a person, has begun the next one.
GOES = """
SELECT goes + 1 FROM reporting.run_retry
WHERE report = %s AND run_id = %s AND clear_number = %s
AND begun_at IS NOT NULL AND given_up IS NULL ORDER BY decided_at DESC LIMIT 1
"""
DECIDE = """
INSERT INTO reporting.run_retry
    (report, run_id, clear_number, started, goes, times, due_at, given_up, request_key, period)
SELECT plan.*, staged.request_key, staged.period
FROM (VALUES (%s, %s, %s::integer, %s, %s::integer, %s::integer, %s::timestamptz, %s))
    AS plan (report, run_id, clear_number, started, goes, times, due_at, given_up)
LEFT JOIN reporting.staged_run AS staged USING (report, run_id)
ON CONFLICT DO NOTHING
"""
FIND = """
SELECT goes, times, due_at, given_up FROM reporting.run_retry
WHERE report = %s AND run_id = %s AND clear_number = %s AND started = %s
"""
HOLD = """
SELECT given_up IS NULL FROM reporting.run_retry
WHERE report = %s AND run_id = %s AND clear_number = %s AND started = %s FOR UPDATE
"""
BEGIN = """
UPDATE reporting.run_retry SET begun_at = now() WHERE given_up IS NULL
AND report = %s AND run_id = %s AND clear_number = %s AND started = %s
"""
GIVE_UP = """
UPDATE reporting.run_retry SET given_up = %s WHERE given_up IS NULL
AND report = %s AND run_id = %s AND clear_number = %s AND started = %s
"""
PUBLISHED_SINCE = """
SELECT FROM reporting.run_retry AS plan
LEFT JOIN reporting.staged_run AS staged USING (report, run_id)
JOIN reporting.release AS r ON r.report = plan.report
    AND r.request_key = coalesce(plan.request_key, staged.request_key)
WHERE plan.report = %s AND plan.run_id = %s AND plan.clear_number = %s AND plan.started = %s
AND r.published_at > %s::timestamptz
"""
PERIOD = """
SELECT period FROM reporting.staged_run WHERE report = %(report)s AND run_id = %(run_id)s
UNION ALL (SELECT period FROM reporting.run_retry
    WHERE report = %(report)s AND run_id = %(run_id)s AND period IS NOT NULL
    ORDER BY decided_at DESC LIMIT 1)
"""


def goes_before(connection: psycopg.Connection[Any], run: RunId) -> int:
    """Return how often the janitor has run this run again, one life after the other."""
    previous = (run.report, run.run_id, run.clear_number - 1)
    row = connection.execute(GOES, previous).fetchone()
    return 0 if row is None else int(row[0])


def decide(connection: psycopg.Connection[Any], run: RunId, plan: Plan) -> Plan:
    """Keep the plan of this life unless there is one; return the one that is kept.

    What the run was to publish is kept with it: the pause may outlast the run's staged data.
    """
    values = (plan.goes, plan.times, plan.due_at, plan.given_up)
    connection.execute(DECIDE, (*run.life, *values))
    return find_plan(connection, run) or plan


def find_plan(connection: psycopg.Connection[Any], run: RunId) -> Plan | None:
    """Return what was decided about this life of the run, if anything was."""
    row = connection.execute(FIND, run.life).fetchone()
    return None if row is None else Plan(*row)


@contextmanager
def beginning(connection: psycopg.Connection[Any], run: RunId) -> Iterator[bool]:
    """Note that the run is run again, and hold its plan while the block does it.

    The note is kept before anything is done, so that a crash in between counts as a run. A second
    janitor waits for the first, and is to look then whether the life has ended.

    Yields:
        Whether the plan still stands.
    """
    connection.execute(BEGIN, run.life)
    with connection.transaction():
        row = connection.execute(HOLD, run.life).fetchone()
        yield row is not None and row[0]


def give_up(connection: psycopg.Connection[Any], run: RunId, why: str) -> None:
    """Note that the run is not run again after all; the first reason stays."""
    connection.execute(GIVE_UP, (why, *run.life))


def is_published_since(connection: psycopg.Connection[Any], run: RunId) -> bool:
    """Say whether what a planned life of a run is to publish was published since its start."""
    if not run.started:
        return False
    values = (*run.life, run.started)
    return connection.execute(PUBLISHED_SINCE, values).fetchone() is not None


def period_of(connection: psycopg.Connection[Any], run: RunId) -> str | None:
    """Return the key of the run's period, also when its staged data is gone; None if unknown."""
    names = {"report": run.report, "run_id": run.run_id}
    row = connection.execute(PERIOD, names).fetchone()
    return None if row is None else str(row[0])


def note_sweep(connection: psycopg.Connection[Any]) -> None:
    """Note that a sweep of the janitor has come to its end."""
    connection.execute(
        "INSERT INTO reporting.sweep DEFAULT VALUES "
        "ON CONFLICT (is_last) DO UPDATE SET swept_at = now()"
    )


def is_janitor_away(connection: psycopg.Connection[Any]) -> bool:
    """Say whether the janitor has not been at work for so long that it must not be relied on."""
    query = "SELECT 1 FROM reporting.sweep WHERE swept_at > now() - %s"
    return connection.execute(query, (PATIENCE,)).fetchone() is None
