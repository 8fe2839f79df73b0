"""When all was compared: whether it is due again, and what came of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import psycopg

# A little less than a day, so that it keeps its hour; sooner when something was not seen.
DUE = """
SELECT NOT EXISTS (SELECT FROM reporting.reconciliation WHERE reconciled_at > now() -
    CASE WHEN unseen = 0 THEN interval '23 hours 55 minutes' ELSE interval '1 hour' END)
"""


FORGET = """
DELETE FROM reporting.reconciliation WHERE reconciled_at < now() - interval '1 year'
"""


def is_due(connection: psycopg.Connection[Any]) -> bool:
    """Say whether all is to be compared again."""
    row = connection.execute(DUE).fetchone()
    return row is not None and bool(row[0])


def note_pass(
    connection: psycopg.Connection[Any], differences: int, repaired: int, unseen: int
) -> None:
    """Note that a pass over everything has ended.

    Args:
        connection: the warehouse.
        differences: how many were found.
        repaired: how many of them a rule has repaired.
        unseen: what could not be looked at, repaired or told.
    """
    connection.execute(FORGET)
    connection.execute(
        "INSERT INTO reporting.reconciliation (reconciled_at, differences, repaired, unseen) "
        "VALUES (clock_timestamp(), %s, %s, %s) ON CONFLICT DO NOTHING",
        (differences, repaired, unseen),
    )
