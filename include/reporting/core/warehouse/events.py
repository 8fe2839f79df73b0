"""Which run answers which upstream event: written down once, so that none is answered twice."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import psycopg

LOCK = "SELECT pg_advisory_xact_lock(hashtextextended('reporting.upstream_event ' || %s, 0))"
TAKE = """
INSERT INTO reporting.upstream_event (report, event_key, run_id) VALUES (%s, %s, %s)
ON CONFLICT (report, event_key) DO UPDATE SET run_id = excluded.run_id, taken_at = now()
"""


@contextmanager
def sharing_out(connection: psycopg.Connection[Any], report: str) -> Iterator[None]:
    """Let one run of the report at a time decide about events; all of it is kept, or nothing."""
    with connection.transaction():
        # Who has waited for the lock must see what was decided meanwhile.
        connection.execute("SET TRANSACTION ISOLATION LEVEL READ COMMITTED")
        connection.execute(LOCK, (report,))
        yield


def taken_events(
    connection: psycopg.Connection[Any], report: str, keys: list[str]
) -> dict[str, str]:
    """Return the run that answers an event, by the event's key."""
    found = connection.execute(
        "SELECT event_key, run_id FROM reporting.upstream_event "
        "WHERE report = %s AND event_key = ANY(%s)",
        (report, keys),
    )
    return {str(key): str(run_id) for key, run_id in found}


def take_event(connection: psycopg.Connection[Any], report: str, key: str, run_id: str) -> None:
    """Note that the run answers the event, whoever did before; the caller is sharing out."""
    connection.execute(TAKE, (report, key, run_id))
