"""A service that answers requests as a test says, on the real broker."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from threading import Thread
from typing import Any

import pika

from embedded_stack.conditions import wait_for
from reporting.core.service.broker import Broker, reply_queue
from reporting.messages import CONTENT_TYPE, Reply, reply_bytes
from reporting.queues import declare_request_queue
from reporting.service import answer
from reporting.work import Handler, Works


def publish(channel: Any, queue: str, body: bytes) -> None:
    """Put a message on a queue."""
    properties = pika.BasicProperties(content_type=CONTENT_TYPE, delivery_mode=2)
    channel.basic_publish("", queue, body, properties, mandatory=True)


def reply(channel: Any, key: str, part: int, *rows: Mapping[str, Any], last: bool = False) -> None:
    """Send one part of an answer."""
    body = reply_bytes(Reply(key, part, is_last=last, rows=rows))
    publish(channel, reply_queue(key), body)


@contextmanager
def serving(broker: Broker, queue: str, handler: Handler) -> Iterator[None]:
    """Answer the requests on a queue in a thread."""
    with broker.channel() as channel:
        declare_request_queue(channel, queue)
    is_over: list[bool] = []
    works = Works(handler)

    def work() -> None:
        with broker.channel() as channel:
            found: Any
            for found in channel.consume(queue, inactivity_timeout=0.05):
                method, properties, body = found
                if is_over:
                    channel.cancel()
                    return
                if method is not None:
                    answer(channel, method, properties, body, works)

    thread = Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        is_over.append(True)
        thread.join()


def waiting(broker: Broker, queue: str, count: int) -> None:
    """Wait until so many messages lie on a queue."""

    def look() -> bool | None:
        with broker.channel() as channel:
            declared: Any = channel.queue_declare(queue, passive=True)
            return True if declared.method.message_count == count else None

    wait_for(look, seconds=30, otherwise=lambda: f"never {count} messages on {queue}")
