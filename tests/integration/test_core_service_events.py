"""The queue of upstream events on a real broker: nothing is acknowledged before its time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from reporting.announcements import Announcement, announcement_bytes
from reporting.core.service.broker import Broker
from reporting.core.service.event_queue import Taken, announcements
from reporting.errors import TransientError
from tests.integration.message_asking import dead_letters

pytestmark = pytest.mark.integration

EVENT = "orders_loaded"


@contextmanager
def watched(broker: Broker, queue: str) -> Iterator[Iterator[Taken | None]]:
    """A watcher that has made its queue; its connection ends with the block."""
    steps = announcements(broker, queue, EVENT)
    try:
        yield steps
    finally:
        steps.close()


def announce(broker: Broker, queue: str, *names: str) -> None:
    send(broker, queue, *(announcement_bytes(Announcement(EVENT, name)) for name in names))


def send(broker: Broker, queue: str, *bodies: bytes) -> None:
    with broker.channel() as channel:
        for body in bodies:
            channel.basic_publish("", queue, body, mandatory=True)


def waiting(broker: Broker, queue: str) -> int:
    with broker.channel() as channel:
        found: Any = channel.queue_declare(queue, passive=True)
        return int(found.method.message_count)


def name_of(taken: Taken | None) -> str:
    assert taken is not None
    return taken.announcement.id


def test_one_at_a_time_and_the_next_when_it_is_settled(broker: Broker, queue: str) -> None:
    with watched(broker, queue) as steps:
        assert next(steps) is None
        announce(broker, queue, "1", "2")

        first = next(steps)
        assert (name_of(first), name_of(next(steps))) == ("1", "1")
        assert waiting(broker, queue) == 1
        assert first is not None
        first.is_settled = True
        assert name_of(next(steps)) == "2"


def test_what_was_not_settled_comes_again_and_says_so(broker: Broker, queue: str) -> None:
    with watched(broker, queue) as steps:
        next(steps)
        announce(broker, queue, "1")
        taken = next(steps)
        assert taken is not None
        assert not taken.is_known

    with watched(broker, queue) as steps:
        again = next(steps)
        assert again is not None
        assert (again.announcement.id, again.is_known) == ("1", True)
        again.is_settled = True
        assert next(steps) is None

    with watched(broker, queue) as steps:
        assert next(steps) is None


def test_f55_a_poison_message_is_set_aside_with_its_reason(broker: Broker, queue: str) -> None:
    with watched(broker, queue) as steps:
        next(steps)
        send(broker, queue, b"not json")
        announce(broker, queue, "2")

        assert name_of(next(steps)) == "2"

    ((body, headers),) = dead_letters(broker, "not json")
    assert body == b"not json"
    assert (headers["reason"], headers["queue"]) == ("event 'orders_loaded': no JSON", queue)


def test_a_queue_that_others_have_made_is_taken_as_it_is(broker: Broker, queue: str) -> None:
    with broker.channel() as channel:
        channel.queue_declare(queue, durable=True, arguments={"x-max-length": 10})
    announce(broker, queue, "1")
    with watched(broker, queue) as steps:
        assert name_of(next(steps)) == "1"


def test_a_broker_that_is_away_is_an_error_to_wait_on(broker: Broker, queue: str) -> None:
    away = Broker("127.0.0.1", 1, broker.login, broker.password, broker.vhost)
    with watched(away, queue) as steps, pytest.raises(TransientError, match=r"127\.0\.0\.1:1"):
        next(steps)


def test_a_queue_that_is_removed_is_an_error_to_wait_on(broker: Broker, queue: str) -> None:
    with watched(broker, queue) as steps:
        next(steps)
        with broker.channel() as channel:
            channel.queue_delete(queue)
        with pytest.raises(TransientError):
            next(steps)
