"""The ledger of compensation: what was undone, when, and how it ended."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import psycopg

    from reporting.core.run import RunId

CLOSING_STEP = "compensate"
NOTHING_LEFT = "nothing was left to undo"
KEPT = "committed data is kept for "
WRITE = """
INSERT INTO reporting.compensation AS known
    (report, run_id, clear_number, started, step, outcome, is_done)
VALUES (%s, %s, %s, %s, %s, %s, %s)
ON CONFLICT (report, run_id, clear_number, started, step) DO UPDATE
SET outcome = excluded.outcome, is_done = excluded.is_done, undone_at = now()
WHERE NOT known.is_done
"""


@dataclass(frozen=True)
class Entry:
    """One undone step.

    Attributes:
        step: which step's work was undone.
        outcome: what was done, or why it could not be.
        is_done: whether nothing is left to undo.
    """

    step: str
    outcome: str
    is_done: bool

    @property
    def undone(self) -> str | None:
        """What was undone, in words; None when that was nothing."""
        said = self.outcome.partition(KEPT)[0].removesuffix("; ")
        return said if self.is_done and said not in ("", NOTHING_LEFT) else None

    @property
    def kept_for(self) -> str | None:
        """For how long committed data is kept, in words; None when the entry is not about it."""
        return self.outcome.partition(KEPT)[2] or None


def write_entry(connection: psycopg.Connection[Any], run: RunId, entry: Entry) -> None:
    """Keep an entry; one that says done is never replaced."""
    connection.execute(WRITE, (*run.life, entry.step, entry.outcome, entry.is_done))


def read_entries(connection: psycopg.Connection[Any], run: RunId) -> list[Entry]:
    """Return the entries of this life of the run, oldest first."""
    rows = connection.execute(
        "SELECT step, outcome, is_done FROM reporting.compensation "
        "WHERE report = %s AND run_id = %s AND clear_number = %s AND started = %s "
        "ORDER BY undone_at, step",
        run.life,
    ).fetchall()
    return [Entry(*row) for row in rows]


def left_of(entries: Iterable[Entry]) -> list[str]:
    """Return in words what could not be undone, and why."""
    return [f"undo {entry.step}: {entry.outcome}" for entry in entries if not entry.is_done]
