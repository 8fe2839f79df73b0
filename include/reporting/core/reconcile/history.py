"""When all was compared: whether it is due again, and what came of it."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import psycopg

    from reporting.core.reconcile.difference import Difference

MOST_KEPT = 100
LONGEST_TEXT = 500

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
    connection: psycopg.Connection[Any],
    found: Sequence[Difference],
    mended: Collection[Difference],
    unseen: int,
) -> None:
    """Note that a pass over everything has ended, with the first of what it has found.

    Args:
        connection: the warehouse.
        found: the differences; those that are left are kept first.
        mended: those of them that a rule has repaired.
        unseen: how many things could not be looked at, repaired or told.
    """
    done = set(mended)
    kept = sorted(found, key=lambda one: one in done)[:MOST_KEPT]
    told = json.dumps([_told(one, is_repaired=one in done) for one in kept])
    connection.execute(FORGET)
    connection.execute(
        "INSERT INTO reporting.reconciliation "
        "(reconciled_at, differences, repaired, unseen, found) "
        "VALUES (clock_timestamp(), %s, %s, %s, %s) ON CONFLICT DO NOTHING",
        (len(found), len(mended), unseen, told),
    )


def _told(one: Difference, *, is_repaired: bool) -> dict[str, Any]:
    """Return a difference as it is kept; `found` of it is called `got` there."""
    return {
        "kind": one.kind,
        "report": one.report,
        "run_id": one.run_id,
        "what": one.what[:LONGEST_TEXT],
        "expected": one.expected[:LONGEST_TEXT],
        "got": one.found[:LONGEST_TEXT],
        "is_repaired": is_repaired,
        "advice": one.advice,
    }
