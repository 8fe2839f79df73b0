"""Replies that contradict, make no sense, or refer to nothing: set aside or named, never staged."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest

from reporting.core.objects import Bucket
from reporting.core.service.broker import (
    Broker,
    reply_queue,
)
from reporting.core.service.inbox import Inbox
from reporting.core.service.receiving import receive
from reporting.core.service.seen import see
from reporting.core.staging import Staging
from reporting.errors import ContractError
from reporting.messages import Reference, Reply, reply_bytes
from tests.integration.message_asking import asked, dead_letters, staged, taken
from tests.integration.message_service import publish, reply

pytestmark = pytest.mark.integration


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
    assert not inbox.failed
    reasons = [told["reason"] for _, told in dead_letters(broker, inbox.key)]
    assert reasons == [
        "part 1 came before with other rows",
        "part 2 comes after the last, which is 1",
    ]


@pytest.mark.parametrize(
    ("parts", "reason"),
    [
        ([(1, 1, False), (1, 2, False), (2, 3, True)], "part 1 came before with other rows"),
        ([(1, 1, False), (3, 3, True), (2, 2, True)], "part 2 says that it is the last, as 3 did"),
        ([(3, 3, False), (1, 1, True)], "part 1 says that it is the last, but 3 came before"),
        ([(2, 2, True), (3, 3, False)], "part 3 comes after the last, which is 2"),
    ],
)
def test_a_contradiction_before_the_answer_is_whole_ends_the_request(
    broker: Broker, inbox: Inbox, queue: str, parts: list[tuple[int, int, bool]], reason: str
) -> None:
    """Two answers of a service whose data changed in between must not become one of both."""
    asked(broker, inbox, queue)
    with broker.channel() as channel:
        for number, row, is_last in parts:
            reply(channel, inbox.key, number, {"id": row}, last=is_last)

    taken(broker, inbox)

    assert inbox.failed == f"the service contradicts itself: {reason}"
    assert [told["reason"] for _, told in dead_letters(broker, inbox.key)] == [reason]


@pytest.mark.parametrize("is_whole", [True, False])
def test_rows_without_a_number_end_the_request(
    broker: Broker, inbox: Inbox, queue: str, is_whole: bool
) -> None:
    """Of a service that counts from 0, the parts from 1 on look like a whole answer."""
    asked(broker, inbox, queue)
    with broker.channel() as channel:
        if is_whole:
            reply(channel, inbox.key, 1, {"id": 2}, last=True)
        reply(channel, inbox.key, 0, {"id": 1})
        seen = see(channel, inbox.key)

    taken(broker, inbox)

    assert (seen.signs, seen.has_parts) == (0, True)
    assert inbox.failed == "a part has number 0; allowed: parts numbered from 1"
    assert len(dead_letters(broker, inbox.key)) == 1


def test_a_service_that_never_pauses_holds_nobody(broker: Broker, inbox: Inbox, queue: str) -> None:
    """Each sign of life that is taken makes another one come."""
    asked(broker, inbox, queue)
    signs = 0

    def acknowledge_and_send(channel: Any) -> Any:
        kept = channel.basic_ack

        def acknowledge(tag: int) -> None:
            nonlocal signs
            signs += 1
            assert signs < 50
            kept(tag)
            publish(channel, reply_queue(inbox.key), reply_bytes(Reply(inbox.key, progress="x")))

        channel.basic_ack = acknowledge
        return channel

    with broker.channel() as channel:
        publish(channel, reply_queue(inbox.key), reply_bytes(Reply(inbox.key, progress="x")))
        chatty = acknowledge_and_send(channel)
        assert see(chatty, inbox.key).signs == 1
        assert receive(chatty, inbox) == 1


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"not JSON KEY", "no JSON"),
        (b'{"version": 2, "key": "KEY"}', "no JSON object of version 1"),
        (b'["KEY"]', "no JSON object of version 1"),
        (b'{"version": 1, "key": "other KEY", "part": 1}', "it answers another request"),
        (b'{"version": 1, "key": "KEY", "part": "1"}', "part is '1'"),
        (b'{"version": 1, "key": "KEY", "part": -1}', "part=-1"),
        (b'{"version": 1, "key": "KEY", "part": 1000000000, "is_last": true}', "part=1000000000"),
        (b'{"version": 1, "key": "KEY", "failed": "\\ud800"}', "half a character"),
        (b'{"version": 1, "key": "KEY", "rows": [{"a": 1e99999999999999999999}]}', "no JSON"),
        (b'{"version": 1, "key": "KEY", "part": 1, "rows": [1]}', "rows that are objects"),
        (b'{"version": 1, "key": "KEY", "part": 1, "reference": {"bucket": "x"}}', "reference"),
    ],
)
def test_f55_a_message_that_makes_no_sense_is_a_dead_letter_with_its_reason(
    broker: Broker, inbox: Inbox, queue: str, body: bytes, reason: str
) -> None:
    asked(broker, inbox, queue)
    sent = body.replace(b"KEY", inbox.key.encode())
    with broker.channel() as channel:
        publish(channel, reply_queue(inbox.key), sent)
        reply(channel, inbox.key, 1, {"id": 1}, last=True)

    assert taken(broker, inbox) == 2

    (found,) = dead_letters(broker, inbox.key)
    assert found[0] == sent
    assert reason in found[1]["reason"]
    assert (found[1]["source"], found[1]["report"]) == ("orders", inbox.run.report)
    assert inbox.missing == []


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
