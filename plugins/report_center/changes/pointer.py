"""Rolls back to a version, or withdraws one, and notes that in Airflow's audit log."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from report_center.changes.audit import note
from reporting.airflow_edge.watched_warehouse import watched_warehouse
from reporting.core.warehouse import pointer
from reporting.core.warehouse.schema import ensure_schema

if TYPE_CHECKING:
    from reporting.core.warehouse.pointer import Target

Move = Literal["roll-back", "withdraw"]
MOVES = {"roll-back": pointer.roll_back, "withdraw": pointer.withdraw}


def moved(move: Move, release_id: int, user: str, seen: int | None) -> Target:
    """Do it; see `reporting.core.warehouse.pointer` for what it takes and raises.

    It blocks: use it in a thread.
    """
    with watched_warehouse() as connection:
        ensure_schema(connection)
        target = MOVES[move](connection, release_id, user, seen)
    facts = {"period": target.period, "version": target.version, "release_id": release_id}
    note(user, move.replace("-", "_"), target.report, facts)
    return target
