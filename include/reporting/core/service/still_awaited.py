"""Whether a run still waits for a message: only then is it sent again."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from reporting.core.run import RunId
from reporting.core.service.dead_facts import key_of
from reporting.core.service.request_record import RequestRecords
from reporting.core.warehouse.runs import open_runs
from reporting.errors import IntegrityError
from reporting.messages import MessageError, request_from

if TYPE_CHECKING:
    import psycopg

    from reporting.core.objects import Bucket
    from reporting.core.warehouse.dead_letters import DeadLetter

# Returns a run in the life it is in now, or None when it works no more.
UnderWay = Callable[[RunId], RunId | None]


def request_key(letter: DeadLetter, body: bytes) -> str:
    """Return the key of the request that a letter is, or answers; empty if it is neither."""
    if key := key_of(letter.queue):
        return key
    try:
        return request_from(body).key
    except MessageError:
        return ""


def why_not_awaited(
    letter: DeadLetter, key: str, bucket: Bucket, under_way: UnderWay
) -> str | None:
    """Return why nobody waits for a message any more, or None when somebody does.

    Args:
        letter: the message's letter.
        key: of the request.
        bucket: bucket of staged data, with the records of requests.
        under_way: looks for the run.
    """
    if not (key and letter.report and letter.run_id and letter.source):
        return "it is not known which run it was for"
    run = RunId(letter.report, letter.run_id)
    record = RequestRecords(bucket, run).read(letter.source)
    if record is None:
        return f"nothing is known any more of what run {run.run_id} has asked"
    if record.ended:
        return f"its request has ended: {record.ended}"
    if record.key(run.task_key) != key:
        return f"source {letter.source!r} has asked anew since"
    # In which life of the run it has asked says nothing: a clear of another task begins a new one,
    # and one of this task asks anew.
    return None if under_way(run) else f"run {run.run_id} is over"


def asker(
    connection: psycopg.Connection[object], bucket: Bucket, key: str
) -> tuple[RunId, str] | None:
    """Return the open run, and its source, that has asked by a key; a reply names neither."""
    for staged in open_runs(connection) if key else ():
        run = RunId(staged.report, staged.run_id)
        records = RequestRecords(bucket, run)
        for source in records.sources():
            try:
                record = records.read(source)
            except IntegrityError:
                continue
            if record is not None and record.key(run.task_key) == key:
                return run, source
    return None
