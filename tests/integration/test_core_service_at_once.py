"""A quick service is heard without going away; a slow one holds nobody for long."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from reporting.core.service.broker import Broker
from reporting.core.service.conversation import Conversation
from reporting.core.service.inbox import Inbox
from reporting.errors import TransientError
from reporting.messages import Request
from reporting.service import Refused
from tests.integration.message_asking import asked, conversation
from tests.integration.message_service import reply, serving

pytestmark = pytest.mark.integration
LONG, SHORT = timedelta(seconds=30), timedelta(seconds=0.2)


@pytest.fixture
def talk(broker: Broker, inbox: Inbox, queue: str) -> Conversation:
    """A request that was sent and that nobody has answered yet."""
    asked(broker, inbox, queue)
    return conversation(broker, inbox, queue)


def test_an_answer_of_several_parts_is_heard_to_its_end(talk: Conversation) -> None:
    with serving(talk.broker, talk.source.queue, lambda _: ({"id": n} for n in range(2500))):
        assert talk.hear_within(LONG)

    assert talk.inbox.missing == []


def test_a_refusal_is_an_end(talk: Conversation) -> None:
    def refusing(_: Request) -> Iterator[dict[str, Any]]:
        raise Refused("no such day")
        yield {}

    said = pytest.raises(TransientError, match="the service refused: no such day")
    with serving(talk.broker, talk.source.queue, refusing), said:
        talk.hear_within(LONG)


def test_half_an_answer_is_kept_and_is_no_end(talk: Conversation) -> None:
    with talk.broker.channel() as channel:
        reply(channel, talk.inbox.key, 2, {"id": 2}, last=True)

    assert not talk.hear_within(SHORT)
    assert talk.inbox.missing == [1]


def test_what_was_heard_before_a_crash_is_not_waited_for(talk: Conversation) -> None:
    with talk.broker.channel() as channel:
        reply(channel, talk.inbox.key, 1, {"id": 1}, last=True)
    assert talk.hear(None)

    assert talk.hear_within(timedelta(0))
