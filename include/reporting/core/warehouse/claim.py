"""The claim: the database lets one run at a time work on a business key (R15)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from reporting.errors import ClaimError

if TYPE_CHECKING:
    import psycopg

    from reporting.core.run import Run, RunId

TAKE = """
INSERT INTO reporting.claim AS held (report, request_key, run_id) VALUES (%s, %s, %s)
ON CONFLICT (report, request_key) DO UPDATE SET taken_at = now() WHERE held.run_id = %s
RETURNING run_id
"""


def take_claim(connection: psycopg.Connection[Any], run: Run) -> str:
    """Take the claim, or keep it when the run has it already.

    Returns:
        The run id of the holder: the run's own, or that of the run that came first.
    """
    key = (run.id.report, run.request_key)
    while True:  # the holder can let go between the two statements
        taken = connection.execute(TAKE, (*key, run.id.run_id, run.id.run_id)).fetchone()
        holder = (
            taken
            or connection.execute(
                "SELECT run_id FROM reporting.claim WHERE report = %s AND request_key = %s", key
            ).fetchone()
        )
        if holder is not None:
            return str(holder[0])


def claim_holder(
    connection: psycopg.Connection[Any], run: Run, has_ended: Callable[[str], bool]
) -> str:
    """Take the claim, also from a run that has ended without giving it up; return the holder.

    Args:
        connection: the warehouse.
        run: who asks.
        has_ended: says of a run id whether that run has ended.
    """
    holder = take_claim(connection, run)
    if holder == run.id.run_id or not has_ended(holder):
        return holder
    take_over_claim(connection, run, holder)
    return take_claim(connection, run)


def hold_claim(
    connection: psycopg.Connection[Any], run: Run, has_ended: Callable[[str], bool]
) -> None:
    """Take or keep the claim for a step that goes on with the run.

    Raises:
        ClaimError: another run works on the same business key.
    """
    holder = claim_holder(connection, run, has_ended)
    if holder != run.id.run_id:
        raise ClaimError(
            f"Report {run.id.report!r}, period {run.period.key}: run {holder!r} works on the "
            "same period and params; wait until it has ended, then clear this task again."
        )


def take_over_claim(connection: psycopg.Connection[Any], run: Run, dead: str) -> None:
    """Drop the claim of a run that has ended; who gets it next is decided by `take_claim`."""
    connection.execute(
        "DELETE FROM reporting.claim WHERE report = %s AND request_key = %s AND run_id = %s",
        (run.id.report, run.request_key, dead),
    )


def release_claims(connection: psycopg.Connection[Any], run: RunId) -> int:
    """Give up every claim of the run; return how many there were."""
    return connection.execute(
        "DELETE FROM reporting.claim WHERE report = %s AND run_id = %s", (run.report, run.run_id)
    ).rowcount
