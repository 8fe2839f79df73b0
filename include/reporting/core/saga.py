"""Compensation: undoing, in reverse order, what the steps of a failed run have made (R16).

Undone at once: unpublished files, uncommitted parts, open uploads, the claim. Committed staged
data, the computed result included, stays for `keep_staging`, so that a single step can be
cleared without fetching again; the janitor removes it afterwards. Nothing is removed that is needed
to undo what could not be undone yet.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reporting.core.files import ReportFiles
from reporting.core.redact import without_secrets
from reporting.core.service.asking import end_request
from reporting.core.service.request_record import FOLDER, RequestRecords
from reporting.core.staging import Staging
from reporting.core.warehouse.claim import release_claims
from reporting.core.warehouse.ledger import CLOSING_STEP, NOTHING_LEFT, Entry, write_entry
from reporting.core.warehouse.runs import (
    StagedRun,
    find_staged,
    forget_staging,
    is_open,
    published_files,
    start_keeping,
    stop_keeping,
)
from reporting.errors import TransientError

if TYPE_CHECKING:
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


@dataclass(frozen=True)
class Undo:
    """The undo of one step: idempotent, says what it did, raises when something is left."""

    step: str
    act: Callable[[], str]


def undo_steps(places: Places, run: RunId) -> list[Undo]:
    """Return the undos of a run in reverse order of its steps."""
    staged = find_staged(places.warehouse, run)
    steps = []
    if staged is not None:
        steps += [
            Undo("store", lambda: _undo_store(places, run, staged)),
            Undo("request", lambda: _undo_requests(places, run)),
            Undo("fetch", lambda: _undo_fetches(places, run)),
        ]
    return [*steps, Undo("init", lambda: _undo_init(places, run))]


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
    """
    entries: list[Entry] = []
    for undo in undo_steps(places, run):
        if not is_due():
            return entries
        entries.append(_entry(undo))
        write_entry(places.warehouse, run, entries[-1])
    if all(entry.is_done for entry in entries):
        start_keeping(places.warehouse, run)
        write_entry(places.warehouse, run, Entry(CLOSING_STEP, "complete", is_done=True))
    return entries


def cancel_unused(places: Places, run: RunId) -> Entry:
    """Cancel what a run has asked that published without it, as it may without optional sources.

    What cannot be cancelled now makes the run an open one again, which the janitor settles.
    """
    entry = _entry(Undo("request", lambda: _undo_requests(places, run)))
    if not entry.is_done:
        stop_keeping(places.warehouse, run)
    elif is_open(places.warehouse, run):
        start_keeping(places.warehouse, run)
    return entry


def discard_expired(places: Places, run: RunId) -> int:
    """Remove all staged data of a run past its time, and files no release names.

    Returns:
        How many objects there were.

    Raises:
        TransientError: a request cannot be cancelled, for which its record is needed; all is kept.
    """
    _undo_requests(places, run)  # a process that outlived its run may have asked
    count = Staging(places.staging, run).discard()
    staged = find_staged(places.warehouse, run)
    if staged is not None:
        count += _discard_files(places, run, staged)
    forget_staging(places.warehouse, run)
    return count


def _discard_files(places: Places, run: RunId, staged: StagedRun) -> int:
    files = ReportFiles(places.reports, run.report, run.task_key)
    return files.discard_unpublished(staged.period, published_files(places.warehouse, run))


def _entry(undo: Undo) -> Entry:
    try:
        return Entry(undo.step, undo.act(), is_done=True)
    except Exception as error:  # noqa: BLE001 - a failing undo must not stop the others
        reason = without_secrets(f"{type(error).__name__}: {error}")
        return Entry(undo.step, f"failed: {reason}", is_done=False)


def _undo_store(places: Places, run: RunId, staged: StagedRun) -> str:
    count = _discard_files(places, run, staged)
    return f"{_counted(count, 'unpublished file')} removed" if count else NOTHING_LEFT


def _undo_requests(places: Places, run: RunId) -> str:
    """Cancel what services still work on; one that cannot be reached stops none of the others."""
    records, faults, count = RequestRecords(places.staging, run), [], 0
    for record in records.open():
        try:
            places.canceller(run)(record)
            end_request(records, record, "cancelled")
            count += 1
        except Exception as error:  # noqa: BLE001 - such as a connection that was removed
            reason = without_secrets(f"{type(error).__name__}: {error}")
            way_out = f"if the service is gone for good, remove {records.where(record.source)}"
            faults.append(f"{reason} It is tried again; {way_out}.")
    if faults:
        raise TransientError(" ".join(faults))
    return f"{_counted(count, 'request')} cancelled" if count else NOTHING_LEFT


def _undo_fetches(places: Places, run: RunId) -> str:
    staging = Staging(places.staging, run)
    count = sum(staging.discard_uncommitted(s) for s in staging.sources() if s != FOLDER)
    count += places.staging.abort_uploads(run.prefix)
    kept = "committed data is kept for its time"
    return f"{_counted(count, 'uncommitted part')} removed; {kept}" if count else kept


def _undo_init(places: Places, run: RunId) -> str:
    had_claim = release_claims(places.warehouse, run) > 0
    return "the period is free for another run" if had_claim else NOTHING_LEFT


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
