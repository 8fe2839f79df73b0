"""Finds runs that have ended and whose staged data nobody has dealt with."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from reporting.core.reconcile.difference import Difference
from reporting.core.run import RunId
from reporting.core.saga import compensate, discard_expired
from reporting.core.warehouse.ledger import left_of
from reporting.errors import TransientError

if TYPE_CHECKING:
    from reporting.core.reconcile.difference import Rule, Scope
    from reporting.core.reconcile.installation import Installation

OPEN_RUN, EXPIRED = "open run", "expired staging"
SELECT = "SELECT report, run_id, keep_until FROM reporting.staged_run"


@dataclass(frozen=True)
class Note:
    """That a run has staged data; without `keep_until` it is open."""

    run: RunId
    keep_until: datetime | None


def notes(here: Installation, scope: Scope) -> list[Note]:
    """Return the notes of all runs in scope that have staged data."""
    rows = here.places.warehouse.execute(f"{SELECT} ORDER BY report, run_id".encode()).fetchall()
    return [Note(RunId(*row[:2]), row[2]) for row in rows if scope.covers(*row[:2])]


def note_again(here: Installation, note: Note) -> Note | None:
    """Return a note as it is now, or None when it is gone."""
    query = f"{SELECT} WHERE report = %s AND run_id = %s"
    key = (note.run.report, note.run.run_id)
    row = here.places.warehouse.execute(query.encode(), key).fetchone()
    return None if row is None else Note(note.run, row[2])


def open_runs(here: Installation, scope: Scope, note: Note) -> list[Difference]:
    """Return a run that has ended and has neither published nor been undone."""
    if note.keep_until is not None or not here.has_ended(note.run, scope.before):
        return []
    return [_of(note, OPEN_RUN, ("published or undone, as the run has ended", "neither"), "undo")]


def expired_staging(here: Installation, scope: Scope, note: Note) -> list[Difference]:
    """Return staged data past its time."""
    if note.keep_until is None or note.keep_until > scope.before:
        return []
    if not here.has_ended(note.run, scope.before):
        return []
    until = f"{note.keep_until:%Y-%m-%d %H:%M:%S%z}"
    return [_of(note, EXPIRED, (f"removed after {until}", "still there"), "remove")]


def undo_open_run(here: Installation, scope: Scope, found: Difference) -> None:
    """Compensate a run, unless it works again.

    Raises:
        TransientError: something is left.
    """
    run = here.in_present_life(found.run)
    entries = compensate(here.places, run, lambda: here.has_ended(run, scope.before))
    if left := left_of(entries):
        raise TransientError("; ".join(left))


def remove_expired(here: Installation, scope: Scope, found: Difference) -> None:
    """Remove staged data past its time, unless its run works again.

    Raises:
        ReportError: a service does not take back what the run has asked; all is kept.
    """
    before = scope.before
    discard_expired(here.places, found.run, before, lambda: here.has_ended(found.run, before))


def _of(note: Note, kind: str, pair: tuple[str, str], rule: Rule) -> Difference:
    what = f"staged data under {note.run.prefix}"
    return Difference(kind, note.run.report, note.run.run_id, what, *pair, rule)
