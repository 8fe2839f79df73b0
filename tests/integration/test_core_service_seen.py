"""Looks at a reply queue: signs of life are taken, parts are left, a lost queue is made again."""

from __future__ import annotations

from datetime import timedelta

import pytest

from embedded_stack.stack import Stack
from reporting.core.service.broker import Broker, forget_replies, reply_queue
from reporting.core.service.conversation import Conversation
from reporting.core.service.inbox import Inbox
from reporting.core.service.seen import Seen, see
from reporting.errors import TransientError
from reporting.messages import Reply, reply_bytes
from tests.integration.message_asking import LIMIT, a_request, asked, taken
from tests.integration.message_service import publish, reply, serving, waiting

pytestmark = pytest.mark.integration


def looked(broker: Broker, inbox: Inbox) -> Seen:
    with broker.channel() as channel:
        return see(channel, inbox.key)


def conversation(broker: Broker, inbox: Inbox, queue: str) -> Conversation:
    return Conversation(broker, queue, a_request(inbox.key), inbox, LIMIT)


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
    assert not talk.ask_again_if_lost()
    with broker.channel() as channel:
        forget_replies(channel, inbox.key)
    assert looked(broker, inbox) == Seen(has_queue=False)

    assert talk.ask_again_if_lost()

    with serving(broker, queue, lambda _: [{"id": 1}]):
        waiting(broker, reply_queue(inbox.key), 2)  # the request was sent twice
    assert talk.hear() == 2
    assert inbox.missing == []


def test_a_queue_that_answers_keeps_what_is_on_it(broker: Broker, inbox: Inbox, queue: str) -> None:
    asked(broker, inbox, queue)
    with broker.channel() as channel:
        reply(channel, inbox.key, 1, {"id": 1}, last=True)
    talk = conversation(broker, inbox, queue)

    assert not talk.ask_again_if_lost()

    assert talk.hear() == 1
    assert inbox.missing == []


def test_a_broker_that_is_away_is_no_lost_queue(
    broker: Broker, inbox: Inbox, queue: str, stack: Stack
) -> None:
    away = Broker(broker.host, stack.ports.webhook, broker.login, broker.password, broker.vhost)
    talk = Conversation(away, queue, a_request(inbox.key), inbox, timedelta(minutes=1))

    with pytest.raises(TransientError, match="Broker"):
        talk.ask_again_if_lost()
