"""Looks at a reply queue: signs of life are taken, parts are left, a lost queue is made again."""

from __future__ import annotations

from dataclasses import replace

import pytest

from embedded_stack.stack import Stack
from reporting.core.service.broker import Broker, forget_replies, reply_queue
from reporting.core.service.inbox import Inbox
from reporting.core.service.seen import Seen, see
from reporting.core.service.watch import DONE, LATE, LOST, STALLED
from reporting.errors import TransientError
from reporting.messages import Reply, reply_bytes
from tests.integration.message_asking import asked, conversation, taken
from tests.integration.message_service import publish, reply, serving, waiting

pytestmark = pytest.mark.integration


def looked(broker: Broker, inbox: Inbox) -> Seen:
    with broker.channel() as channel:
        return see(channel, inbox.key)


def test_signs_of_life_are_taken_and_parts_are_left(
    broker: Broker, inbox: Inbox, queue: str
) -> None:
    asked(broker, inbox, queue)
    assert looked(broker, inbox) == Seen(has_queue=True)
    with broker.channel() as channel:
        for text in ("a third", "two thirds"):
            publish(channel, reply_queue(inbox.key), reply_bytes(Reply(inbox.key, progress=text)))
    assert looked(broker, inbox) == Seen(has_queue=True, signs=2)
    assert looked(broker, inbox) == Seen(has_queue=True)

    with broker.channel() as channel:
        reply(channel, inbox.key, 1, {"id": 1}, last=True)
    for _ in range(2):
        assert looked(broker, inbox) == Seen(has_queue=True, has_parts=True)
    assert taken(broker, inbox) == 1


@pytest.mark.parametrize("body", [b"not json", b'{"version": 1, "key": "k", "failed": "no"}'])
def test_whatever_is_no_sign_of_life_is_left_to_the_task(
    broker: Broker, inbox: Inbox, queue: str, body: bytes
) -> None:
    asked(broker, inbox, queue)
    with broker.channel() as channel:
        publish(channel, reply_queue(inbox.key), body)

    assert looked(broker, inbox) == Seen(has_queue=True, has_parts=True)


def test_a_queue_that_is_gone_is_made_again_and_the_request_is_sent_again(
    broker: Broker, inbox: Inbox, queue: str
) -> None:
    asked(broker, inbox, queue)
    talk = conversation(broker, inbox, queue)
    talk.ask_once()
    with broker.channel() as channel:
        forget_replies(channel, inbox.key)
    assert looked(broker, inbox) == Seen(has_queue=False)

    assert not talk.hear(LOST)

    with serving(broker, queue, lambda _: [{"id": 1}]):
        waiting(broker, reply_queue(inbox.key), 2)  # the request was sent twice
    assert talk.hear(DONE)


def test_a_queue_that_answers_keeps_what_is_on_it(broker: Broker, inbox: Inbox, queue: str) -> None:
    asked(broker, inbox, queue)
    with broker.channel() as channel:
        reply(channel, inbox.key, 1, {"id": 1}, last=True)
    talk = conversation(broker, inbox, queue)

    talk.ask_once()

    assert talk.hear(LOST)
    waiting(broker, queue, 1)  # it was not asked again


def test_a_broker_that_is_away_is_no_lost_queue(
    stack: Stack, broker: Broker, inbox: Inbox, queue: str
) -> None:
    away = replace(broker, port=stack.ports.webhook)

    with pytest.raises(TransientError, match="Broker"):
        conversation(away, inbox, queue).hear(LOST)


@pytest.mark.parametrize(
    ("outcome", "why"),
    [
        (STALLED, "the service on queue '{queue}' sent nothing for 0:15:00"),
        (LATE, "the answer had not ended after"),
    ],
)
def test_waiting_that_ended_without_an_answer_ends_the_request(
    broker: Broker, inbox: Inbox, queue: str, outcome: str, why: str
) -> None:
    asked(broker, inbox, queue)
    with broker.channel() as channel:
        reply(channel, inbox.key, 1, {"id": 1})
    talk = conversation(broker, inbox, queue)
    assert not talk.hear(outcome)  # something came

    with pytest.raises(TransientError, match=why.format(queue=queue)):
        talk.hear(outcome)

    assert looked(broker, inbox) == Seen(has_queue=False)
    assert list(inbox.bucket.keys(f"{inbox.run.prefix}_requests/orders/")) == []
    ended = talk.records.read("orders")
    assert ended is not None
    assert ended.ended
