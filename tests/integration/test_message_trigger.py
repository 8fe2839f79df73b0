"""How waiting for a message ends: signs of life extend it, silence and lost queues end it."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from threading import Event, Thread
from typing import Any

import pytest

from reporting.core.service.broker import Broker, forget_replies, reply_queue
from reporting.core.service.inbox import Inbox
from reporting.core.service.watch import DONE, LATE, LOST, STALLED, Patience
from reporting.messages import Reply, reply_bytes
from tests.airflow_home import use_own_home
from tests.integration.message_asking import asked
from tests.integration.message_service import publish, reply

pytestmark = pytest.mark.integration
Ended = Callable[..., str]
FOREVER = 60.0


@pytest.fixture
def ended(monkeypatch: pytest.MonkeyPatch, broker: Broker, inbox: Inbox, queue: str) -> Ended:
    """Let a trigger wait for the answer to a request that was sent; return how it ends."""
    use_own_home()
    asked(broker, inbox, queue)

    def run(*, seconds: float = FOREVER, stalled: float = FOREVER, port: int = broker.port) -> str:
        known = {"conn_type": "amqp", "schema": broker.vhost, "port": port}
        login = {"host": broker.host, "login": broker.login, "password": broker.password}
        monkeypatch.setenv("AIRFLOW_CONN_REPORTS_BROKER", json.dumps(known | login))
        return asyncio.run(event(inbox.key, seconds, stalled))

    return run


async def event(key: str, seconds: float, stalled: float) -> str:
    from reporting.airflow_edge.message_trigger import MessageTrigger

    patience = asdict(Patience(0.05, 0.05, stalled, time.time() + seconds))
    _, kept = MessageTrigger("reports_broker", key, patience).serialize()
    (found,) = [event async for event in MessageTrigger(**json.loads(json.dumps(kept))).run()]
    payload: dict[str, Any] = found.payload
    return str(payload["outcome"])


@contextmanager
def showing_life(broker: Broker, key: str, for_seconds: float) -> Iterator[None]:
    """Publish a sign of life again and again, for a while."""
    is_over = Event()

    def show() -> None:
        until = time.monotonic() + for_seconds
        with broker.channel() as channel:
            while time.monotonic() < until and not is_over.wait(0.1):
                body = reply_bytes(Reply(key, progress=str(time.monotonic())))
                publish(channel, reply_queue(key), body)

    thread = Thread(target=show)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()


def test_a_reply_ends_the_waiting(ended: Ended, broker: Broker, inbox: Inbox) -> None:
    with broker.channel() as channel:
        reply(channel, inbox.key, 1, {"id": 1}, last=True)

    assert ended() == DONE


def test_signs_of_life_extend_the_wait_and_silence_ends_it(
    ended: Ended, broker: Broker, inbox: Inbox
) -> None:
    began = time.monotonic()
    with showing_life(broker, inbox.key, for_seconds=4.0):
        assert ended(stalled=2.0) == STALLED

    assert time.monotonic() - began > 4.0


def test_signs_of_life_do_not_extend_the_time_limit(
    ended: Ended, broker: Broker, inbox: Inbox
) -> None:
    with showing_life(broker, inbox.key, for_seconds=FOREVER):
        assert ended(seconds=1.0) == LATE


def test_a_reply_queue_that_is_gone_ends_the_waiting(
    ended: Ended, broker: Broker, inbox: Inbox
) -> None:
    with broker.channel() as channel:
        forget_replies(channel, inbox.key)

    assert ended() == LOST


def test_a_broker_that_is_away_is_waited_for_until_the_time_is_over(ended: Ended) -> None:
    assert ended(seconds=1.0, port=9) == LATE
