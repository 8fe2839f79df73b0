"""The queue on which upstream events are announced: one message at a time, and none is lost.

A message is acknowledged only when its taker says that what it has caused is durable. What is no
announcement goes to the dead letters, with the reason.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reporting.announcements import Announcement, announcement_from
from reporting.messages import MessageError
from reporting.queues import ANY_NUMBER, DEAD, declare_dead, set_aside

if TYPE_CHECKING:
    from pika.adapters.blocking_connection import BlockingChannel

    from reporting.core.service.broker import Broker

# No limit of deliveries: a message may wait for its run through any number of restarts.
KEPT = {
    "x-queue-type": "quorum",
    "x-delivery-limit": ANY_NUMBER,
    "x-dead-letter-exchange": "",
    "x-dead-letter-routing-key": DEAD,
}


@dataclass
class Taken:
    """An announcement that was taken off the queue.

    Attributes:
        announcement: what it says.
        is_known: whether it was taken before, and may have started a run already.
        is_settled: set by the taker when the message may be acknowledged.
    """

    announcement: Announcement
    is_known: bool
    is_settled: bool = False


def announcements(broker: Broker, queue: str, event: str) -> Generator[Taken | None, None, None]:
    """Yield what is announced, each again and again until it is settled; None while there is none.

    Each step also keeps the connection alive, so the taker must not wait long between two. When
    the connection is lost, what was not acknowledged comes again.

    Args:
        broker: where the queue is.
        queue: its name; it is made if it is not there.
        event: name of the event that is announced on it.

    Raises:
        TransientError: the broker cannot be reached, or the connection is lost.
    """
    with broker.channel() as channel:
        if not _is_there(channel, DEAD):
            declare_dead(channel)
        if not _is_there(channel, queue):
            channel.queue_declare(queue, durable=True, arguments=KEPT)
        while True:
            found: Any = channel.basic_get(queue)
            method, _, body = found
            if method is None:
                yield None
                continue
            taken = _read(channel, queue, event, body, is_known=bool(method.redelivered))
            while taken is not None and not taken.is_settled:
                yield taken
                channel.connection.process_data_events(0)
            channel.basic_ack(method.delivery_tag)


def _is_there(channel: BlockingChannel, queue: str) -> bool:
    """Say whether there is a queue; one that others have made otherwise is taken as it is."""
    from pika.exceptions import ChannelClosedByBroker

    trial = channel.connection.channel()
    try:
        trial.queue_declare(queue, passive=True)
    except ChannelClosedByBroker:
        return False
    trial.close()
    return True


def _read(
    channel: BlockingChannel, queue: str, event: str, body: bytes, *, is_known: bool
) -> Taken | None:
    """Return what a message announces; one that announces nothing is put among the dead letters."""
    try:
        return Taken(announcement_from(body, event), is_known)
    except MessageError as error:
        why = {"reason": f"event {event!r}: {error}", "queue": queue, "event": event}
        set_aside(channel, body, why)
        return None
