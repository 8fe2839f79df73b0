"""A broker and a service that lose, repeat and mislead; what was written down makes it good."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Any

import pytest

from reporting.core.objects import Bucket
from reporting.core.service.broker import Broker, reply_queue
from reporting.core.service.inbox import Inbox
from reporting.core.service.watch import DONE
from reporting.core.staging import Staging
from reporting.errors import ContractError, TransientError
from reporting.messages import Reference, Reply, reply_bytes, reply_from
from reporting.queues import declare_request_queue
from tests.integration.message_asking import asked, conversation, staged, taken
from tests.integration.message_service import publish, reply, serving, waiting

pytestmark = pytest.mark.integration

LINE = b'{"id": 1, "name": "a"}\n'


def test_a_request_that_could_not_be_sent_is_sent_from_its_record(
    broker: Broker, inbox: Inbox, queue: str
) -> None:
    first = conversation(broker, inbox, queue)
    first = replace(first, record=replace(first.record, job=""))
    with pytest.raises(TransientError, match="the broker has no queue"):
        first.ask_once()
    kept = first.records.read("orders")
    assert kept is not None
    assert (kept.job, kept.ended) == ("", "")

    with broker.channel() as channel:
        declare_request_queue(channel, queue)
    again = replace(first, record=kept)
    again.ask_once()

    waiting(broker, queue, 1)
    sent = again.records.read("orders")
    assert sent is not None
    assert sent.job == inbox.key


def test_a_crash_after_the_sending_sends_again_and_the_answer_is_staged_once(
    staging: Staging, broker: Broker, inbox: Inbox, queue: str
) -> None:
    with broker.channel() as channel:
        declare_request_queue(channel, queue)
    talk = conversation(broker, inbox, queue)
    unsent = replace(talk, record=replace(talk.record, job=""))
    for _ in range(2):  # the second time as after a crash: the record does not say that it was sent
        unsent.ask_once()

    with serving(broker, queue, lambda _: [{"id": 1}, {"id": 2}]):
        waiting(broker, reply_queue(inbox.key), 2)

    assert talk.hear(DONE)
    assert [row["id"] for row in staged(staging, inbox)] == [1, 2]


def test_a_connection_lost_before_the_acknowledgement_brings_the_part_again(
    staging: Staging, broker: Broker, inbox: Inbox, queue: str
) -> None:
    asked(broker, inbox, queue)
    with broker.channel() as channel:
        reply(channel, inbox.key, 1, {"id": 1}, last=True)
    with broker.channel() as channel:
        got: Any = channel.basic_get(reply_queue(inbox.key))
        inbox.keep(reply_from(got[2]), got[2])  # and the connection ends here

    assert taken(broker, inbox) == 1
    assert [row["id"] for row in staged(staging, inbox)] == [1]


@pytest.mark.parametrize(
    ("lies", "words"),
    [
        (LINE[:-4], "bytes, SHA-256"),
        (LINE.replace(b"a", b"b"), "the message says 23,"),
        (LINE * 2, "has 46 bytes"),
    ],
    ids=["in part", "others", "more"],
)
def test_a_reference_to_other_bytes_than_were_told_is_named(  # noqa: PLR0913, PLR0917 - fixtures
    staging: Staging, broker: Broker, inbox: Inbox, queue: str, lies: bytes, words: str
) -> None:
    key = f"replies/{inbox.key}.ndjson"
    Bucket(staging.bucket.client, "landing").put(key, lies)
    told = Reference("landing", key, len(LINE), hashlib.sha256(LINE).hexdigest())
    asked(broker, inbox, queue)
    with broker.channel() as channel:
        body = reply_bytes(Reply(inbox.key, 1, is_last=True, reference=told))
        publish(channel, reply_queue(inbox.key), body)
    taken(broker, inbox)

    with pytest.raises(ContractError, match=words):
        staged(staging, inbox)
    assert staging.manifest("orders") is None


def test_rows_that_do_not_fit_are_named_and_nothing_is_staged(
    staging: Staging, broker: Broker, inbox: Inbox, queue: str
) -> None:
    asked(broker, inbox, queue)
    with serving(broker, queue, lambda _: [{"id": 1}, {"id": "x"}]):
        waiting(broker, reply_queue(inbox.key), 1)
    taken(broker, inbox)

    with pytest.raises(ContractError, match="row 2, column 'id': \"x\""):
        staged(staging, inbox)
    assert staging.manifest("orders") is None


def test_f8_a_wrong_login_is_named_without_its_secret(
    broker: Broker, inbox: Inbox, queue: str
) -> None:
    wrong = replace(broker, password="S3CR3T")

    with pytest.raises(TransientError) as fault:
        conversation(wrong, inbox, queue).hear(None)
    assert "Broker 127.0.0.1" in str(fault.value)
    assert "ACCESS_REFUSED" in str(fault.value)
    assert "S3CR3T" not in str(fault.value)
