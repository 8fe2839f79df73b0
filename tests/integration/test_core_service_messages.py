"""Messages: each good part is staged once, whatever comes twice, late, or makes no sense."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal
from typing import Any
from uuid import uuid4

import pytest

from embedded_stack.stack import Stack
from reporting.core.intake import Intake
from reporting.core.objects import Bucket
from reporting.core.service.broker import (
    Broker,
    count_replies,
    forget_replies,
    reply_queue,
    send_request,
)
from reporting.core.service.inbox import Inbox
from reporting.core.service.receiving import Received, receive, take_parts
from reporting.core.staging import Staging
from reporting.errors import ContractError, TransientError
from reporting.messages import DEAD, Reference, Reply, Request, reply_bytes
from reporting.service import Refused, declare_request_queue
from tests.integration.message_service import publish, reply, serving, waiting
from tests.specimens import a_message_source

pytestmark = pytest.mark.integration

LIMIT = timedelta(minutes=5)


@pytest.fixture
def queue(broker: Broker) -> Iterator[str]:
    name = f"t.{uuid4().hex[:12]}"
    yield name
    with broker.channel() as channel:
        channel.queue_delete(name)


@pytest.fixture
def inbox(staging: Staging, broker: Broker) -> Iterator[Inbox]:
    found = Inbox(staging.bucket, staging.run, "orders", uuid4().hex)
    yield found
    with broker.channel() as channel:
        forget_replies(channel, found.key)


def a_request(key: str) -> Request:
    return Request(key, "sales", "orders", "run", {"day": "2024-05-01"}, {"id": "int64"})


def asked(broker: Broker, inbox: Inbox, queue: str) -> None:
    with broker.channel() as channel:
        declare_request_queue(channel, queue)
        send_request(channel, queue, a_request(inbox.key), LIMIT)


def taken(broker: Broker, inbox: Inbox) -> Received:
    with broker.channel() as channel:
        return receive(channel, inbox)


def staged(staging: Staging, inbox: Inbox, **source: Any) -> list[dict[str, Any]]:
    declared = a_message_source(**source)
    with staging.attempt("orders", declared.schema) as attempt:
        take_parts(
            inbox, Bucket(staging.bucket.client, "landing"), declared, Intake(declared, attempt)
        )
        manifest = attempt.commit({})
    from reporting.core.inputs import read_part

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


def test_a_service_in_ten_lines_answers_a_request(
    staging: Staging, broker: Broker, inbox: Inbox, queue: str
) -> None:
    seen: list[Request] = []

    def orders(request: Request) -> Iterator[dict[str, Any]]:
        seen.append(request)
        yield from ({"id": n, "name": str(n)} for n in range(2500))

    asked(broker, inbox, queue)
    with serving(broker, queue, orders):
        waiting(broker, reply_queue(inbox.key), 3)

    assert taken(broker, inbox) == Received(3, "")
    assert inbox.missing == []
    assert [row["id"] for row in staged(staging, inbox)] == list(range(2500))
    assert seen == [a_request(inbox.key)]


def test_no_rows_are_an_answer(staging: Staging, broker: Broker, inbox: Inbox, queue: str) -> None:
    asked(broker, inbox, queue)
    with serving(broker, queue, lambda _: []):
        waiting(broker, reply_queue(inbox.key), 1)
    taken(broker, inbox)

    assert inbox.missing == []
    assert staged(staging, inbox) == []


def test_parts_in_any_order_and_twice_are_staged_once_in_order(
    staging: Staging, broker: Broker, inbox: Inbox, queue: str
) -> None:
    asked(broker, inbox, queue)
    with broker.channel() as channel:
        for part in (3, 1, 1, 3, 2, 2):
            reply(channel, inbox.key, part, {"id": part}, last=part == 3)

    taken(broker, inbox)

    assert inbox.missing == []
    assert [row["id"] for row in staged(staging, inbox)] == [1, 2, 3]


def test_an_answer_is_not_whole_before_each_part_has_come(
    broker: Broker, inbox: Inbox, queue: str
) -> None:
    asked(broker, inbox, queue)
    with broker.channel() as channel:
        reply(channel, inbox.key, 1, {"id": 1})
        taken(broker, inbox)
        assert inbox.missing is None
        reply(channel, inbox.key, 3, {"id": 3}, last=True)
        taken(broker, inbox)
        assert inbox.missing == [2]
        reply(channel, inbox.key, 2, {"id": 2})
    taken(broker, inbox)

    assert inbox.missing == []


def test_a_part_is_kept_before_it_is_acknowledged(
    broker: Broker, inbox: Inbox, queue: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The store fails between the two: the part is delivered again and nothing is lost."""
    asked(broker, inbox, queue)
    with broker.channel() as channel:
        reply(channel, inbox.key, 1, {"id": 1}, last=True)
    with monkeypatch.context() as patched:
        patched.setattr(Bucket, "put", lambda *_, **__: (_ for _ in ()).throw(OSError("store")))
        with pytest.raises((OSError, TransientError)):
            taken(broker, inbox)
    assert inbox.missing is None

    assert taken(broker, inbox).count == 1
    assert inbox.missing == []


def test_a_part_that_comes_again_with_other_rows_is_a_dead_letter(
    staging: Staging, broker: Broker, inbox: Inbox, queue: str
) -> None:
    asked(broker, inbox, queue)
    with broker.channel() as channel:
        reply(channel, inbox.key, 1, {"id": 1}, last=True)
        reply(channel, inbox.key, 1, {"id": 2}, last=True)
        reply(channel, inbox.key, 2, {"id": 3})

    taken(broker, inbox)

    assert [row["id"] for row in staged(staging, inbox)] == [1]
    reasons = [told["reason"] for _, told in dead_letters(broker, inbox.key)]
    assert reasons == [
        "part 1 came before with other rows",
        "part 2 comes after the last, which is 1",
    ]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"not JSON KEY", "no JSON"),
        (b'{"version": 2, "key": "KEY"}', "no JSON object of version 1"),
        (b'["KEY"]', "no JSON object of version 1"),
        (b'{"version": 1, "key": "other KEY", "part": 1}', "it answers another request"),
        (b'{"version": 1, "key": "KEY", "part": "1"}', "part is '1'"),
        (b'{"version": 1, "key": "KEY", "part": -1}', "part=-1"),
        (b'{"version": 1, "key": "KEY", "part": 1, "rows": [1]}', "rows that are objects"),
        (b'{"version": 1, "key": "KEY", "part": 1, "reference": {"bucket": "x"}}', "reference"),
    ],
)
def test_f54_a_message_that_makes_no_sense_is_a_dead_letter_with_its_reason(
    broker: Broker, inbox: Inbox, queue: str, body: bytes, reason: str
) -> None:
    asked(broker, inbox, queue)
    sent = body.replace(b"KEY", inbox.key.encode())
    with broker.channel() as channel:
        publish(channel, reply_queue(inbox.key), sent)
        reply(channel, inbox.key, 1, {"id": 1}, last=True)

    assert taken(broker, inbox).count == 2

    (found,) = dead_letters(broker, inbox.key)
    assert found[0] == sent
    assert reason in found[1]["reason"]
    assert (found[1]["source"], found[1]["report"]) == ("orders", inbox.run.report)
    assert inbox.missing == []


def test_a_service_that_refuses_is_heard(broker: Broker, inbox: Inbox, queue: str) -> None:
    def orders(_: Request) -> Iterator[dict[str, Any]]:
        raise Refused("no such day")
        yield {}

    asked(broker, inbox, queue)
    with serving(broker, queue, orders):
        waiting(broker, reply_queue(inbox.key), 1)

    assert taken(broker, inbox) == Received(1, "no such day")


def test_a_request_that_nobody_waits_for_any_more_is_done_with(
    broker: Broker, inbox: Inbox, queue: str
) -> None:
    asked(broker, inbox, queue)
    with broker.channel() as channel:
        forget_replies(channel, inbox.key)
    with serving(broker, queue, lambda _: [{"id": 1}]):
        waiting(broker, queue, 0)

    with broker.channel() as channel:
        assert count_replies(channel, inbox.key) is None


def test_a_queue_that_nobody_serves_is_named(broker: Broker, inbox: Inbox) -> None:
    with broker.channel() as channel, pytest.raises(TransientError, match="no queue 'nobody'"):
        send_request(channel, "nobody", a_request(inbox.key), LIMIT)


def test_a_broker_that_is_away_is_worth_another_try(stack: Stack) -> None:
    gone = Broker("127.0.0.1", stack.ports.webhook, "reports", "S3CR3T", "reports")
    with pytest.raises(TransientError) as fault, gone.channel():
        pass

    assert "S3CR3T" not in str(fault.value)


def test_a_large_part_comes_by_reference(
    staging: Staging, broker: Broker, inbox: Inbox, queue: str
) -> None:
    lines = b"".join(json.dumps({"id": n, "name": "é"}).encode() + b"\n" for n in range(3000))
    key = f"replies/{inbox.key}.ndjson"
    Bucket(staging.bucket.client, "landing").put(key, lines)
    told = Reference("landing", key, len(lines), hashlib.sha256(lines).hexdigest())
    asked(broker, inbox, queue)
    with broker.channel() as channel:
        body = reply_bytes(Reply(inbox.key, 1, is_last=True, reference=told))
        publish(channel, reply_queue(inbox.key), body)
    taken(broker, inbox)

    assert [row["id"] for row in staged(staging, inbox)] == list(range(3000))


@pytest.mark.parametrize(
    ("bucket", "words"),
    [
        ("staging", "allowed: objects in bucket 'landing'"),
        ("landing", "does not exist"),
    ],
)
def test_a_reference_that_leads_nowhere_is_named(  # noqa: PLR0913, PLR0917 - fixtures
    staging: Staging, broker: Broker, inbox: Inbox, queue: str, bucket: str, words: str
) -> None:
    told = Reference(bucket, f"replies/{inbox.key}", 2, "0" * 64)
    asked(broker, inbox, queue)
    with broker.channel() as channel:
        body = reply_bytes(Reply(inbox.key, 1, is_last=True, reference=told))
        publish(channel, reply_queue(inbox.key), body)
    taken(broker, inbox)

    with pytest.raises(ContractError, match=words):
        staged(staging, inbox)
    assert staging.manifest("orders") is None


def test_f28_f30_numbers_keep_all_digits(
    staging: Staging, broker: Broker, inbox: Inbox, queue: str
) -> None:
    rows = [{"id": 9007199254740993, "n": Decimal("12345678901234.567891")}]
    asked(broker, inbox, queue)
    with serving(broker, queue, lambda _: rows):
        waiting(broker, reply_queue(inbox.key), 1)
    taken(broker, inbox)

    assert staged(staging, inbox, columns={"id": "int64", "n": "decimal(20,6)"}) == rows
