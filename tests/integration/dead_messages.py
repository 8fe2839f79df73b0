"""Messages that die, on the real broker, and the run that waits for an answer to them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import psycopg
import pytest

from embedded_stack.conditions import wait_for
from reporting import queues
from reporting.core.run import RunId
from reporting.core.service.broker import Broker, send_request
from reporting.core.service.dead_letters import DeadLetters
from reporting.core.service.inbox import Inbox
from reporting.core.service.request_record import RequestRecord, RequestRecords, life_of
from reporting.core.warehouse.dead_letters import DeadLetter, Wanted
from reporting.messages import Request
from reporting.queues import DEAD, TRIES, declare_dead, declare_request_queue
from reporting.service import answer
from reporting.work import Works

LIMIT = timedelta(minutes=1)


def open_record(run: RunId) -> RequestRecord:
    """Return the record of a request that is under way."""
    return RequestRecord("orders", life_of(run), 1, "message", "broker", "2024-05-01T06:00:00Z")


def request_of(records: RequestRecords) -> Inbox:
    """Note that the run asks, and return where the answer goes."""
    record = open_record(records.run)
    records.write(record)
    return Inbox(records.bucket, records.run, "orders", record.key(records.run.task_key))


def under_way(warehouse: psycopg.Connection[Any], broker: Broker, records: RequestRecords) -> Inbox:
    """Start a run that has asked and waits; return where the answer goes."""
    warehouse.execute(
        "INSERT INTO reporting.staged_run (report, run_id, request_key, period, keep_seconds) "
        "VALUES (%s, %s, 'key', '2024-05-01', 0)",
        (records.run.report, records.run.run_id),
    )
    inbox = request_of(records)
    send_asked(broker, inbox, "elsewhere")
    return inbox


def a_request(inbox: Inbox) -> Request:
    """Return the request that an inbox waits for."""
    return Request(inbox.key, inbox.run.report, inbox.source, inbox.run.run_id, {}, {})


def send_asked(broker: Broker, inbox: Inbox, queue: str) -> None:
    """Send the request to its service."""
    with broker.channel() as channel:
        declare_request_queue(channel, queue)
        send_request(channel, queue, a_request(inbox), LIMIT)


def fail_until_dead(broker: Broker, queue: str) -> int:
    """Fail on a request as a broken service does; return how often."""
    tried = 0

    def failing(_: Request) -> Iterator[dict[str, Any]]:
        nonlocal tried
        tried += 1
        raise RuntimeError("a fault of the service")
        yield {}

    before = _lie(broker, DEAD)
    while tried <= TRIES:
        with broker.channel() as channel:
            got: Any = channel.basic_get(queue)
            method, properties, body = got
            if method is not None:
                with pytest.raises(RuntimeError):
                    answer(channel, method, properties, body, Works(failing))
    wait_for(
        lambda: True if _lie(broker, DEAD) > before else None,
        seconds=30,
        otherwise=lambda: f"the request on {queue} never died",
    )
    return tried


def set_aside(broker: Broker, body: bytes, **told: Any) -> None:
    """Put a message among the dead letters, as a report does that cannot use it."""
    with broker.channel() as channel:
        declare_dead(channel)
        queues.set_aside(channel, body, told)


def _lie(broker: Broker, queue: str) -> int:
    with broker.channel() as channel:
        declared: Any = channel.queue_declare(queue, passive=True)
        return int(declared.method.message_count)


def collected(broker: Broker, letters: DeadLetters) -> list[DeadLetter]:
    """Collect; return all that wait."""
    with broker.channel() as channel:
        letters.collect(channel)
    return letters.listed(Wanted())
