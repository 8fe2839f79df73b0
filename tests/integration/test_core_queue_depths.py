"""How many messages wait is told without taking any, also of queues that are not there."""

from __future__ import annotations

import pytest

from reporting.core.service.broker import Broker
from reporting.core.service.queue_depths import queue_depths
from reporting.errors import TransientError
from tests.integration.message_service import publish


def test_depths_are_told_and_nothing_is_taken(broker: Broker, queue: str) -> None:
    with broker.channel() as channel:
        channel.queue_declare(queue, durable=True)
        for _ in range(2):
            publish(channel, queue, b"a message")
    for _ in range(2):
        assert queue_depths(broker, ["no.such", queue, "none.either"]) == {
            "no.such": None,
            queue: 2,
            "none.either": None,
        }


def test_a_broker_that_is_away_is_an_error() -> None:
    with pytest.raises(TransientError, match="Broker"):
        queue_depths(Broker("127.0.0.1", 1, "a", "b", "/"), ["q"])
