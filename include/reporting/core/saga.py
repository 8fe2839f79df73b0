"""Compensation: undoing, in reverse order, what the steps of a failed run have made (R16).

Undone at once: unpublished files, uncommitted parts, open uploads, the claim. Committed staged
data, the computed result included, stays for `keep_staging`, so that a single step can be
cleared without fetching again; the janitor removes it afterwards. Nothing is removed that is needed
to undo what could not be undone yet.

A run may be cleared at any moment and works again then. So it is asked for right before each undo,
while a step of it would have to wait, see `fence`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reporting.core.staging import Staging
from reporting.core.undo import Undo, cancel_requests, discard_files, in_words, undo_steps
from reporting.core.warehouse.fence import note_held
from reporting.core.warehouse.ledger import CLOSING_STEP, Entry, write_entry
from reporting.core.warehouse.runs import (
    find_staged,
    forget_staging,
    is_expired,
    is_open,
    start_keeping,
    stop_keeping,
)

if TYPE_CHECKING:
    from datetime import datetime

    import psycopg

    from reporting.core.objects import Bucket
    from reporting.core.run import RunId
    from reporting.core.service.request_record import RequestRecord


@dataclass(frozen=True)
class Places:
    """Where runs leave things.

    Attributes:
        warehouse: autocommit connection.
        staging: bucket of staged data.
        reports: bucket of published files.
        canceller: returns what cancels a request of a run at its service.
    """

    warehouse: psycopg.Connection[Any]
    staging: Bucket
    reports: Bucket
    canceller: Callable[[RunId], Callable[[RequestRecord], None]]


def _always() -> bool:
    return True


def compensate(places: Places, run: RunId, is_due: Callable[[], bool] = _always) -> list[Entry]:
    """Undo every step, keep the ledger, and return its entries.

    An undo that fails stops none of the others; its entry says why, and the closing entry is
    written only when all are done.

    Args:
        places: where the run left things.
        run: which run.
        is_due: asked before each undo; a run that was cleared meanwhile works again, and what
            it makes is its own.

    Raises:
        TransientError: the run is just being published or cleaned up.
    """
    entries = []
    for entry in _undone(places, run, is_due):
        entries.append(entry)
        write_entry(places.warehouse, run, entry)
    with note_held(places.warehouse, run):
        if all(entry.is_done for entry in entries) and is_due():
            start_keeping(places.warehouse, run)
            write_entry(places.warehouse, run, Entry(CLOSING_STEP, "complete", is_done=True))
    return entries


def clear_up(places: Places, run: RunId, is_due: Callable[[], bool] = _always) -> list[Entry]:
    """Undo what a failed run has left besides its figures, which are out and stay.

    Its claim goes, too. No ledger is kept, as nothing is undone that anybody has seen.

    Args:
        places: where the run left things.
        run: which run.
        is_due: see `compensate`.

    Raises:
        TransientError: the run is just being published or cleaned up.
    """
    entries = list(_undone(places, run, is_due))
    with note_held(places.warehouse, run):
        if is_due():
            _keep_or_reopen(places, run, entries)
    return entries


def cancel_unused(places: Places, run: RunId) -> Entry:
    """Cancel what a run has asked that published without it, as it may without optional sources.

    What cannot be cancelled now makes the run an open one again, which the janitor settles.
    """
    try:
        entry = Entry("request", cancel_requests(places, run), is_done=True)
    except Exception as error:  # noqa: BLE001 - whatever it is, the janitor comes back to it
        entry = _failed("request", error)
    _keep_or_reopen(places, run, [entry])
    return entry


def discard_expired(
    places: Places, run: RunId, before: datetime, has_ended: Callable[[], bool]
) -> int | None:
    """Remove all staged data of a run past its time, and files no release names.

    Args:
        places: where the run left things.
        run: which run.
        before: when its time must have been over.
        has_ended: asked right before; a run that was cleared meanwhile works again.

    Returns:
        How many objects there were; None when the run was left alone.

    Raises:
        TransientError: a request cannot be cancelled, for which its record is needed; all is kept.
    """
    with note_held(places.warehouse, run):
        if not is_expired(places.warehouse, run, before) or not has_ended():
            return None
        cancel_requests(places, run)  # a process that outlived its run may have asked
        count = Staging(places.staging, run).discard()
        staged = find_staged(places.warehouse, run)
        if staged is not None:
            count += discard_files(places, run, staged)
        forget_staging(places.warehouse, run)
        return count


def _undone(places: Places, run: RunId, is_due: Callable[[], bool]) -> Iterator[Entry]:
    """Undo one step after the other for as long as that is due."""
    for undo in undo_steps(places, run):
        entry = _entry(undo, is_due)
        if entry is None:
            return
        yield entry


def _entry(undo: Undo, is_due: Callable[[], bool]) -> Entry | None:
    try:
        with undo.fence():
            return Entry(undo.step, undo.act(), is_done=True) if is_due() else None
    except Exception as error:  # noqa: BLE001 - a failing undo must not stop the others
        return _failed(undo.step, error)


def _failed(step: str, error: Exception) -> Entry:
    return Entry(step, f"failed: {in_words(error)}", is_done=False)


def _keep_or_reopen(places: Places, run: RunId, entries: Sequence[Entry]) -> None:
    """Start the time of the run's staged data, unless something of it is left."""
    if not all(entry.is_done for entry in entries):
        stop_keeping(places.warehouse, run)
    elif is_open(places.warehouse, run):
        start_keeping(places.warehouse, run)
