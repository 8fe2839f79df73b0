"""Queues of a real broker: declared, filled and emptied, each message confirmed."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pika
import pytest

from embedded_stack import broker, rabbitmq
from embedded_stack.conditions import wait_for

if TYPE_CHECKING:
    from pika.adapters.blocking_connection import BlockingChannel

    from embedded_stack.stack import Stack

QUORUM = {"x-queue-type": "quorum"}


def demand_rabbitmq() -> None:
    """Skip tests of the broker where it cannot be had; a fetch that fails is a failure."""
    if rabbitmq.find() is None and shutil.which("apt-get") is None:
        pytest.skip("no RabbitMQ on this machine, and no apt-get to fetch it")


@contextmanager
def channel(stack: Stack) -> Iterator[BlockingChannel]:
    """A channel on which publishing returns only when the broker keeps the message."""
    connection = broker.connect(stack.layout)
    try:
        opened = connection.channel()
        opened.confirm_delivery()
        yield opened
    finally:
        connection.close()


def publish(stack: Stack, queue: str, bodies: list[bytes], **arguments: object) -> None:
    """Declare a durable queue and put messages into it."""
    with channel(stack) as opened:
        opened.queue_declare(queue, durable=True, arguments=QUORUM | arguments)
        for body in bodies:
            opened.basic_publish(
                "", queue, body, pika.BasicProperties(delivery_mode=2), mandatory=True
            )


def until_registered(stack: Stack, queue: str) -> None:
    """Wait until a quorum queue survives the broker's end.

    RabbitMQ writes down about a second later that it has one (rabbitmq-server#15725). One that was
    killed before then knows the queue and never answers for it.
    """
    register = next(stack.layout.broker.glob("var/lib/rabbitmq/mnesia/*/quorum/*/names.dets"))
    wait_for(
        lambda: True if f"reports_{queue}".encode() in register.read_bytes() else None,
        seconds=10,
        otherwise=lambda: f"{queue} is not in {register}",
    )


def take_all(stack: Stack, queue: str) -> list[bytes]:
    """Take every message out of a queue."""
    taken = []
    with channel(stack) as opened:
        while (body := opened.basic_get(queue, auto_ack=True)[2]) is not None:
            taken.append(body)
    return taken


def until_up(stack: Stack) -> None:
    """Wait for a broker that comes back by itself."""
    wait_for(
        lambda: broker.answers(stack.layout) or None,
        seconds=60,
        otherwise=lambda: f"the broker is away: {stack.status()}",
    )
