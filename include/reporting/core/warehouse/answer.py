"""What answers a request: the run that asks, one that works on it, or a release (R15).

The database decides, in one transaction: nobody may be pointed to a run that has the claim for an
instant only.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reporting.core.warehouse.claim import claim_holder, release_claims
from reporting.core.warehouse.events import sharing_out, take_event
from reporting.core.warehouse.release import current_release

if TYPE_CHECKING:
    from datetime import timedelta

    import psycopg

    from reporting.core.already_published import AlreadyPublished
    from reporting.core.run import Run

# What is read with the claim must be what its last holder has published.
OPEN = "SET TRANSACTION ISOLATION LEVEL READ COMMITTED"
# The age is taken off the warehouse's own clock, which may go otherwise than Airflow's.
BEGAN_SINCE = """
SELECT noted_at > now() - %s FROM reporting.staged_run WHERE report = %s AND run_id = %s
"""


@dataclass(frozen=True)
class Ahead:
    """A run that works on what an event asks for.

    Attributes:
        run_id: which run.
        answers: whether it began after the event, so that its data is new enough; else it may have
            read its sources before.
    """

    run_id: str
    answers: bool


def find_worker(
    connection: psycopg.Connection[Any], run: Run, has_ended: Callable[[str], bool]
) -> str | None:
    """Take the claim for the next version.

    Args:
        connection: the warehouse.
        run: who asks.
        has_ended: says of a run id whether that run has ended.

    Returns:
        The run that works on the same period and params; None when the claim is taken.
    """
    with connection.transaction():
        connection.execute(OPEN)
        return _other_holder(connection, run, has_ended)


def find_answer(
    connection: psycopg.Connection[Any], run: Run, has_ended: Callable[[str], bool]
) -> str | AlreadyPublished | None:
    """Take the claim, if nobody works on the same and nobody has published it.

    Args:
        connection: the warehouse.
        run: who asks.
        has_ended: says of a run id whether that run has ended.

    Returns:
        The run that works on the same period and params, or what was published of them; None when
        the claim is taken.
    """
    with connection.transaction():
        connection.execute(OPEN)
        if (holder := _other_holder(connection, run, has_ended)) is not None:
            return holder
        published = current_release(connection, run)
        if published is not None:
            release_claims(connection, run.id)
        return published


def find_ahead(
    connection: psycopg.Connection[Any],
    run: Run,
    events: Collection[str],
    age: timedelta,
    has_ended: Callable[[str], bool],
) -> Ahead | None:
    """Take the claim for a run that answers events, or note the run ahead that answers them too.

    Args:
        connection: the warehouse.
        run: who asks.
        events: keys of the events.
        age: how long ago the last of them happened.
        has_ended: says of a run id whether that run has ended.

    Returns:
        The run that works on the same period and params; None when the claim is taken.
    """
    with sharing_out(connection, run.id.report):
        holder = _other_holder(connection, run, has_ended)
        if holder is None:
            return None
        answers = _began_since(connection, run.id.report, holder, age)
        for key in events if answers else ():
            take_event(connection, run.id.report, key, holder)
        return Ahead(holder, answers)


def _began_since(
    connection: psycopg.Connection[Any], report: str, run_id: str, age: timedelta
) -> bool:
    """Say whether all data of a run is younger; it is not if that is not known."""
    found = connection.execute(BEGAN_SINCE, (age, report, run_id)).fetchone()
    return bool(found and found[0])


def _other_holder(
    connection: psycopg.Connection[Any], run: Run, has_ended: Callable[[str], bool]
) -> str | None:
    holder = claim_holder(connection, run, has_ended)
    return None if holder == run.id.run_id else holder
