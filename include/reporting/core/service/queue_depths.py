"""How many messages wait on queues, asked without taking any."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from reporting.core.service.broker import Broker


def queue_depths(broker: Broker, names: Iterable[str]) -> dict[str, int | None]:
    """Return how many messages wait on each queue; None for one that is not there.

    Raises:
        TransientError: the broker cannot be reached.
    """
    from pika.exceptions import ChannelClosedByBroker

    found: dict[str, int | None] = {}
    with broker.channel() as first:
        connection: Any = first.connection
        channel: Any = first
        for name in names:
            try:
                declared = channel.queue_declare(name, passive=True)
                found[name] = int(declared.method.message_count)
            except ChannelClosedByBroker:  # the broker's way to say that there is none
                found[name] = None
                channel = connection.channel()
    return found
