"""Finds reply queues of requests that have ended, and removes them.

A queue whose request nobody knows any more needs nobody: the broker removes it when it was not
used for the time limit of its source.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from reporting.core.reconcile.difference import Difference
from reporting.core.service.broker import count_replies, forget_replies, reply_queue
from reporting.core.service.request_record import RequestRecords
from reporting.errors import IntegrityError

if TYPE_CHECKING:
    from reporting.core.reconcile.difference import Scope
    from reporting.core.reconcile.ended_runs import Note
    from reporting.core.reconcile.installation import Installation
    from reporting.core.run import RunId
    from reporting.core.service.request_record import RequestRecord

REPLY_QUEUE = "reply queue"
MESSAGE = "message"


def reply_queues(here: Installation, scope: Scope, note: Note) -> list[Difference]:
    """Return the reply queues of requests that have ended; what is on them finds no taker."""
    if here.broker_of is None or not here.has_ended(note.run, scope.before):
        return []
    found = []
    for record in _ended(here, note.run):
        with here.broker_of(record.conn_id).channel() as channel:
            key = record.key(note.run.task_key)
            count = count_replies(channel, key)
        if count is not None:
            pair = ("gone, as its request has ended", f"there, with {count} replies")
            report, run_id, what = note.run.report, note.run.run_id, reply_queue(key)
            found.append(Difference(REPLY_QUEUE, report, run_id, what, *pair, "remove"))
    return found


def remove_reply_queue(here: Installation, _scope: Scope, found: Difference) -> None:
    """Remove a reply queue; a request that has ended never uses it again."""
    assert here.broker_of is not None  # noqa: S101 - without it none is found
    for record in _ended(here, found.run):
        key = record.key(found.run.task_key)
        if reply_queue(key) == found.what:
            with here.broker_of(record.conn_id).channel() as channel:
                forget_replies(channel, key)


def _ended(here: Installation, run: RunId) -> Iterator[RequestRecord]:
    records = RequestRecords(here.places.staging, run)
    for source in records.sources():
        try:
            record = records.read(source)
        except IntegrityError:
            continue  # told as what it is elsewhere
        if record is not None and record.ended and record.way == MESSAGE:
            yield record
