"""Reports that ask a hostile service, and are killed between keeping and acknowledging.

Usage: python -m tests.integration.hostile_report PLACE SHARE SHARES
"""

from __future__ import annotations

import os
import random
import signal
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from time import sleep
from typing import Any

from pika.adapters.blocking_connection import BlockingChannel

from reporting.core.intake import Intake
from reporting.core.objects import Bucket
from reporting.core.service.asking import record_due
from reporting.core.service.broker import Broker
from reporting.core.service.conversation import Conversation
from reporting.core.service.receiving import take_parts
from reporting.core.service.request_record import RequestRecords
from reporting.core.service.watch import LOST
from reporting.core.staging import Staging
from reporting.errors import TransientError
from tests.integration.hostile_place import Place, place_from

AT_ONCE = 16
# One in so many of these moments is the process's last.
ACKNOWLEDGEMENTS, ENDS = 400, 150
COLLECTED = "collected"


def main(place: Place, share: int, shares: int) -> None:
    """Ask for everything that is not staged yet."""
    BlockingChannel.basic_ack = dying(BlockingChannel.basic_ack, ACKNOWLEDGEMENTS)  # type: ignore[method-assign]
    Conversation.end = dying(Conversation.end, ENDS)  # type: ignore[method-assign]
    broker, bucket = place.broker, place.bucket
    with ThreadPoolExecutor(AT_ONCE) as threads:
        numbers = place.numbers(share, shares)
        list(threads.map(lambda number: staged(place, broker, bucket, number), numbers))


def dying(call: Callable[..., Any], one_in: int) -> Callable[..., Any]:
    """Return the call, before which the process may be killed."""

    def instead(*args: Any, **kwargs: Any) -> Any:
        if random.randrange(one_in) == 0:  # noqa: S311 - not the same again after a restart
            os.kill(os.getpid(), signal.SIGKILL)
        return call(*args, **kwargs)

    return instead


def staged(place: Place, broker: Broker, bucket: Bucket, number: int) -> None:
    """Ask until the answer to a request is staged, as the tasks of a run do over their tries."""
    records = RequestRecords(bucket, place.run(number))
    while not is_collected(records, place.source.name):
        record = record_due(records, place.source.name, "message", "broker", never_cancelled)
        talk = place.conversation(broker, records, record, number)
        try:
            talk.ask_once()
            listen(talk)
            place.note_progress()
        except TransientError:
            sleep(0.5)  # as long as a retry would wait


def listen(talk: Conversation) -> None:
    """Wait for the answer and stage it."""
    outcome = None
    while True:
        try:
            if talk.hear(outcome):
                break
            outcome = None
        except TransientError:
            if talk.inbox.failed or is_ended(talk):
                raise
            outcome = LOST  # the broker is away
        sleep(0.1)
    staging, source = Staging(talk.records.bucket, talk.records.run), talk.source
    with staging.attempt(source.name, source.schema) as attempt:
        take_parts(talk.inbox, staging.bucket, source, Intake(source, attempt))
        attempt.commit({})
    talk.end(COLLECTED)


def is_ended(talk: Conversation) -> bool:
    """Whether nothing more comes of a try."""
    record = talk.records.read(talk.source.name)
    return record is None or bool(record.ended)


def is_collected(records: RequestRecords, source: str) -> bool:
    """Whether a request is done with."""
    record = records.read(source)
    return record is not None and record.ended == COLLECTED


def never_cancelled(*_: object) -> None:
    """There is one life of each run only."""
    raise AssertionError("nothing is to be cancelled")


if __name__ == "__main__":
    main(place_from(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
