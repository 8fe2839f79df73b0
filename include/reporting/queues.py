"""The queues between reports and services: durable, and nothing leaves them unseen.

What is given up, or is no message, moves to the dead letters; it leaves its queue only when it
has arrived there.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

DEAD = "reports.dead"  # where messages go that nobody can use
TRIES = 5  # of a service at one request
# Of a report at one reply: more, because looks at it count too.
LOOKS = 50
_QUORUM: Mapping[str, Any] = {"x-queue-type": "quorum"}
_NEVER_LOST: Mapping[str, Any] = {
    **_QUORUM,
    "x-dead-letter-exchange": "",
    "x-dead-letter-routing-key": DEAD,
    "x-dead-letter-strategy": "at-least-once",
    "x-overflow": "reject-publish",  # the strategy demands it
}


def declare_dead(channel: Any) -> None:
    """Make the queue of dead letters where it is missing."""
    channel.queue_declare(DEAD, durable=True, arguments=_QUORUM)


def declare_request_queue(channel: Any, queue: str) -> None:
    """Make a queue on which requests wait for their service."""
    declare_dead(channel)
    arguments = {**_NEVER_LOST, "x-delivery-limit": TRIES}
    channel.queue_declare(queue, durable=True, arguments=arguments)


def declare_reply_queue(channel: Any, queue: str, unused_for: timedelta) -> None:
    """Make the queue on which one request is answered; it goes when nobody has used it so long."""
    declare_dead(channel)
    milliseconds = int(unused_for.total_seconds() * 1000)
    arguments = {**_NEVER_LOST, "x-delivery-limit": LOOKS, "x-expires": milliseconds}
    channel.queue_declare(queue, durable=True, arguments=arguments)
