"""What answers a request: the run that asks, one that works on it, or a release (R15).

The database decides, in one transaction: nobody may be pointed to a run that has the claim for an
instant only.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from reporting.core.warehouse.claim import claim_holder, release_claims
from reporting.core.warehouse.release import current_release

if TYPE_CHECKING:
    import psycopg

    from reporting.core.already_published import AlreadyPublished
    from reporting.core.run import Run

# What is read with the claim must be what its last holder has published.
OPEN = "SET TRANSACTION ISOLATION LEVEL READ COMMITTED"


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


def _other_holder(
    connection: psycopg.Connection[Any], run: Run, has_ended: Callable[[str], bool]
) -> str | None:
    holder = claim_holder(connection, run, has_ended)
    return None if holder == run.id.run_id else holder
