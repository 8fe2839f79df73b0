"""Queues of a real broker: declared, filled and emptied, each message confirmed."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
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
    """Wait until a quorum queue survives the broker's sudden end.

    RabbitMQ writes down only a second or two after it has said so that there is a queue. Of one it
    was killed before, it knows nothing, or it knows the name and never answers for it
    (rabbitmq-server#15725).
    """
    data = next(stack.layout.broker.glob("var/lib/rabbitmq/mnesia/broker@localhost"))
    written = (
        # Which queues there are, and which of them are quorum queues of this node.
        ("LATEST.LOG", "rabbit_durable_queue.DC?"),
        ("quorum/*/names.dets",),
    )
    wait_for(
        lambda: True if all(_hold(data, places, queue) for places in written) else None,
        seconds=10,
        otherwise=lambda: f"{queue} is not written down in {data}",
    )


def _hold(data: Path, places: tuple[str, ...], queue: str) -> bool:
    files = [file for place in places for file in data.glob(place)]
    return any(queue.encode() in file.read_bytes() for file in files)


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
