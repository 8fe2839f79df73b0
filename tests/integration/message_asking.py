"""Asks by a message, takes what comes and stages it."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from reporting.core.inputs import read_part
from reporting.core.intake import Intake
from reporting.core.objects import Bucket
from reporting.core.service.broker import (
    Broker,
    send_request,
)
from reporting.core.service.conversation import Conversation
from reporting.core.service.inbox import Inbox
from reporting.core.service.receiving import receive, take_parts
from reporting.core.service.request_record import RequestRecord, RequestRecords
from reporting.core.staging import Staging
from reporting.messages import Request
from reporting.queues import DEAD, declare_request_queue
from tests.specimens import a_message_source

LIMIT = timedelta(minutes=5)


def a_request(key: str) -> Request:
    return Request(key, "sales", "orders", "run", {"day": "2024-05-01"}, {"id": "int64"})


def asked(broker: Broker, inbox: Inbox, queue: str) -> None:
    with broker.channel() as channel:
        declare_request_queue(channel, queue)
        send_request(channel, queue, a_request(inbox.key), LIMIT)


def conversation(broker: Broker, inbox: Inbox, queue: str) -> Conversation:
    """Return the conversation of a request that was sent."""
    record = RequestRecord("orders", "1", 1, "message", "b", "2024-05-01T00:00:00Z", job=inbox.key)
    records = RequestRecords(inbox.bucket, inbox.run)
    source = a_message_source(queue=queue)
    return Conversation(source, broker, records, record, a_request(inbox.key))


def taken(broker: Broker, inbox: Inbox) -> int:
    with broker.channel() as channel:
        return receive(channel, inbox)


def staged(staging: Staging, inbox: Inbox, **source: Any) -> list[dict[str, Any]]:
    declared = a_message_source(**source)
    with staging.attempt("orders", declared.schema) as attempt:
        take_parts(
            inbox, Bucket(staging.bucket.client, "landing"), declared, Intake(declared, attempt)
        )
        manifest = attempt.commit({})
    tables = [read_part(staging.bucket, part, None, "fetch") for part in manifest.parts]
    return [row for table in tables for row in table.to_pylist()]


def dead_letters(broker: Broker, key: str) -> list[tuple[bytes, dict[str, Any]]]:
    """Take the dead letters that speak of a key off the queue, and put the others back."""
    found = []
    with broker.channel() as channel:
        while True:
            got: Any = channel.basic_get(DEAD)
            method, properties, body = got
            if method is None:
                break
            if key.encode() in body or key in str(properties.headers):
                found.append((body, dict(properties.headers or {})))
                channel.basic_ack(method.delivery_tag)
    return found
