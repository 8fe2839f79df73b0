"""The undo of each step: what it removes, gives up or cancels, and behind which fence."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from reporting.core.files import ReportFiles
from reporting.core.redact import without_secrets
from reporting.core.service.asking import end_request
from reporting.core.service.request_record import FOLDER, RequestRecords
from reporting.core.staging import Staging
from reporting.core.warehouse.claim import release_claims
from reporting.core.warehouse.fence import claims_held, note_held
from reporting.core.warehouse.ledger import KEPT, NOTHING_LEFT
from reporting.core.warehouse.runs import find_staged, keep_of, published_files
from reporting.errors import TransientError

if TYPE_CHECKING:
    from datetime import timedelta

    from reporting.core.run import RunId
    from reporting.core.saga import Places
    from reporting.core.warehouse.runs import StagedRun


@dataclass(frozen=True)
class Undo:
    """The undo of one step.

    Attributes:
        step: which step's work it undoes.
        act: idempotent; says what it did, raises when something is left.
        fence: what it is done in. A service may take minutes to cancel, so that is done in none.
    """

    step: str
    act: Callable[[], str]
    fence: Callable[[], AbstractContextManager[None]] = nullcontext


def undo_steps(places: Places, run: RunId) -> list[Undo]:
    """Return the undos of a run in reverse order of its steps."""
    staged = find_staged(places.warehouse, run)
    fence = partial(note_held, places.warehouse, run)
    steps = []
    if staged is not None:
        steps += [
            Undo("store", lambda: _undo_store(places, run, staged), fence),
            Undo("request", lambda: cancel_requests(places, run)),
            Undo("fetch", lambda: _undo_fetches(places, run), fence),
        ]
    claims = partial(claims_held, places.warehouse, run)
    return [*steps, Undo("init", lambda: _undo_init(places, run), claims)]


def discard_files(places: Places, run: RunId, staged: StagedRun) -> int:
    """Remove the files of a run that no release names; return how many."""
    files = ReportFiles(places.reports, run.report, run.task_key)
    return files.discard_unpublished(staged.period, published_files(places.warehouse, run))


def in_words(error: Exception) -> str:
    """Return an error as the ledger keeps it."""
    return without_secrets(f"{type(error).__name__}: {error}")


def _undo_store(places: Places, run: RunId, staged: StagedRun) -> str:
    count = discard_files(places, run, staged)
    return f"{_counted(count, 'unpublished file')} removed" if count else NOTHING_LEFT


def cancel_requests(places: Places, run: RunId) -> str:
    """Cancel what services still work on; one that cannot be reached stops none of the others.

    Returns:
        What was done, in words.

    Raises:
        TransientError: some are open still.
    """
    records = RequestRecords(places.staging, run)
    count = _each(partial(_cancel, places, records, source) for source in records.sources())
    return f"{_counted(count, 'request')} cancelled" if count else NOTHING_LEFT


def _cancel(places: Places, records: RequestRecords, source: str) -> int:
    try:
        record = records.read(source)
        if record is None or record.ended:
            return 0
        places.canceller(records.run)(record)
        end_request(records, record, "cancelled")
    except Exception as error:  # noqa: BLE001 - such as a connection that was removed
        way_out = f"if the service is gone for good, remove {records.where(source)}"
        raise TransientError(f"{in_words(error)} It is tried again; {way_out}.") from None
    return 1


def _undo_fetches(places: Places, run: RunId) -> str:
    staging = Staging(places.staging, run)
    acts = [partial(staging.discard_uncommitted, s) for s in staging.sources() if s != FOLDER]
    count = _each([*acts, partial(places.staging.abort_uploads, run.prefix)])
    kept = f"{KEPT}{time_in_words(keep_of(places.warehouse, run))}"
    return f"{_counted(count, 'uncommitted part')} removed; {kept}" if count else kept


def _each(acts: Iterable[Callable[[], int]]) -> int:
    """Do all and return the sum of what they return; one that fails stops none of the others.

    Raises:
        TransientError: some failed, for whatever reason.
    """
    faults, count = [], 0
    for act in acts:
        try:
            count += act()
        except TransientError as error:
            faults.append(without_secrets(str(error)))
        except Exception as error:  # noqa: BLE001 - whatever it is, it is told with the others
            faults.append(in_words(error))
    if faults:
        raise TransientError(" ".join(faults))
    return count


def _undo_init(places: Places, run: RunId) -> str:
    had_claim = release_claims(places.warehouse, run) > 0
    return "the period is free for another run" if had_claim else NOTHING_LEFT


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def time_in_words(time: timedelta) -> str:
    """Return a time in its largest unit that is whole, e.g. `1 day`, `36 hours`, `90 seconds`."""
    seconds = round(time.total_seconds())
    for noun, size in (("day", 86_400), ("hour", 3_600), ("minute", 60)):
        if seconds and seconds % size == 0:
            return _counted(seconds // size, noun)
    return _counted(seconds, "second")
