"""A look at a reply queue: signs of life are taken, parts are left to whoever keeps them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reporting.core.service.broker import count_replies, reply_queue
from reporting.messages import MessageError, reply_from

if TYPE_CHECKING:
    from pika.adapters.blocking_connection import BlockingChannel


@dataclass(frozen=True)
class Seen:
    """What a look at a reply queue has found.

    Attributes:
        has_queue: whether there is a queue.
        signs: how many signs of life; they are acknowledged.
        has_parts: whether anything else waits.
    """

    has_queue: bool
    signs: int = 0
    has_parts: bool = False


def see(channel: BlockingChannel, key: str) -> Seen:
    """Look at what waits at the head of a reply queue."""
    count = count_replies(channel, key)
    if not count:
        return Seen(has_queue=count is not None)
    signs = 0
    for _ in range(count):  # what comes meanwhile may never end
        found: Any = channel.basic_get(reply_queue(key))
        method, _, body = found
        if method is None:
            break
        if not _is_sign_of_life(body):
            channel.basic_nack(method.delivery_tag, requeue=True)
            return Seen(has_queue=True, signs=signs, has_parts=True)
        channel.basic_ack(method.delivery_tag)
        signs += 1
    return Seen(has_queue=True, signs=signs)


def _is_sign_of_life(body: bytes) -> bool:
    try:
        reply = reply_from(body)
    except MessageError:
        return False
    return reply.is_sign_of_life
