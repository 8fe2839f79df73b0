"""Finds requests of ended runs that are still open at their services, and takes them back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reporting.core.reconcile.difference import Difference
from reporting.core.saga import cancel_unused
from reporting.core.service.request_record import RequestRecords
from reporting.errors import IntegrityError, TransientError

if TYPE_CHECKING:
    from reporting.core.reconcile.difference import Scope
    from reporting.core.reconcile.ended_runs import Note
    from reporting.core.reconcile.installation import Installation

OPEN_REQUEST, NO_RECORD = "open request", "request record"


def open_requests(here: Installation, scope: Scope, note: Note) -> list[Difference]:
    """Return what an ended run has asked and nobody has taken back.

    Of a run that is open still, its undo takes it back.
    """
    if note.keep_until is None or not here.has_ended(note.run, scope.before):
        return []
    records = RequestRecords(here.places.staging, note.run)
    found = [_open_request(records, source) for source in records.sources()]
    return [one for one in found if one is not None]


def cancel_requests(here: Installation, scope: Scope, found: Difference) -> None:
    """Take back what a run has asked, unless it works again.

    Raises:
        TransientError: a service does not take it back now; the run is an open one until it does.
    """
    if here.has_ended(found.run, scope.before):
        entry = cancel_unused(here.places, found.run)
        if not entry.is_done:
            raise TransientError(entry.outcome)


def _open_request(records: RequestRecords, source: str) -> Difference | None:
    report, run_id = records.run.report, records.run.run_id
    where = f"{records.bucket.name}/{records.where(source)}"
    try:
        record = records.read(source)
    except IntegrityError:
        pair, advice = ("a request record", "an object that is none"), f"remove the object {where}"
        return Difference(NO_RECORD, report, run_id, where, *pair, "decide", advice)
    if record is None or record.ended:
        return None
    what = f"request of source {source} at {record.conn_id}"
    pair = ("ended, as the run has", f"open since {record.sent_at}")
    return Difference(OPEN_REQUEST, report, run_id, what, *pair, "cancel")
