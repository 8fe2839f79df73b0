"""The queues between reports and services: durable, and nothing leaves them unseen.

Who cannot use a message sets it aside with the reason, and acknowledges it then. The broker moves
only what is given out too often because its taker crashes each time.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

DEAD = "reports.dead"  # where messages go that nobody can use
TRIES = 5  # of a service at one request, after the first
# Of a report at one reply: more, because looks at it count too.
LOOKS = 50
# Without a number RabbitMQ 4 takes 20, and does not know "none" in all versions.
ANY_NUMBER = 1_000_000_000
_QUORUM: Mapping[str, Any] = {"x-queue-type": "quorum"}
_TO_THE_DEAD: Mapping[str, Any] = {
    **_QUORUM,
    # Not "at-least-once": with it, queues of RabbitMQ 3.10 do not come back after a sudden end.
    "x-dead-letter-exchange": "",
    "x-dead-letter-routing-key": DEAD,
}


def declare_dead(channel: Any) -> None:
    """Make the queue of dead letters where it is missing."""
    arguments = {**_QUORUM, "x-delivery-limit": ANY_NUMBER}
    channel.queue_declare(DEAD, durable=True, arguments=arguments)


def declare_request_queue(channel: Any, queue: str) -> None:
    """Make a queue on which requests wait for their service."""
    declare_dead(channel)
    arguments = {**_TO_THE_DEAD, "x-delivery-limit": TRIES}
    channel.queue_declare(queue, durable=True, arguments=arguments)


def declare_reply_queue(channel: Any, queue: str, unused_for: timedelta) -> None:
    """Make the queue on which one request is answered; it goes when nobody has used it so long."""
    declare_dead(channel)
    milliseconds = int(unused_for.total_seconds() * 1000)
    arguments = {**_TO_THE_DEAD, "x-delivery-limit": LOOKS, "x-expires": milliseconds}
    channel.queue_declare(queue, durable=True, arguments=arguments)


def set_aside(channel: Any, body: bytes, told: Mapping[str, Any]) -> None:
    """Put a message among the dead letters, with what is known of it.

    Args:
        channel: confirms.
        body: the message as it came.
        told: `reason`, `queue` it was on, `deliveries` so far, `source`, `report`, `run_id`, as
            far as they are known.
    """
    import pika

    headers = {**told, "dead_at": datetime.now(UTC).isoformat()}
    properties = pika.BasicProperties(delivery_mode=2, headers=headers)
    channel.basic_publish("", DEAD, body, properties, mandatory=True)
