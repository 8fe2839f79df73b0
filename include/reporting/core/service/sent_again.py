"""Sends a dead message again to the queue it was for, or says why that cannot be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reporting.core.service.broker import count_replies, reply_queue
from reporting.core.service.dead_facts import TRIED
from reporting.errors import InputError
from reporting.messages import CONTENT_TYPE

if TYPE_CHECKING:
    from pika.adapters.blocking_connection import BlockingChannel

    from reporting.core.warehouse.dead_letters import DeadLetter


def not_awaited(letter: DeadLetter, why: str) -> InputError:
    """Return the refusal of a message for which nobody waits."""
    return InputError(
        f"Dead letter {letter.dead_letter_id} is not sent again, nobody waits for it: {why}. "
        "Discard it, and clear the fetch if its rows are wanted."
    )


def send_again(channel: BlockingChannel, letter: DeadLetter, key: str, body: bytes) -> None:
    """Publish it, to its queue and no other.

    Args:
        channel: confirms.
        letter: what is known of the message.
        key: of the request that it is, or answers; empty for an event.
        body: the message.

    Raises:
        InputError: the queue is gone, or the one on which a request is answered.
    """
    import pika
    from pika.exceptions import UnroutableError

    answered_on = reply_queue(key) if key else letter.queue
    if key and count_replies(channel, key) is None:
        raise _gone(letter, answered_on)
    properties = pika.BasicProperties(
        content_type=CONTENT_TYPE,
        delivery_mode=2,
        message_id=key or None,
        correlation_id=key or None,
        reply_to=None if letter.queue == answered_on else answered_on,
        headers={TRIED: letter.tries},
    )
    try:
        channel.basic_publish("", letter.queue, body, properties, mandatory=True)
    except UnroutableError:
        raise _gone(letter, letter.queue) from None


def _gone(letter: DeadLetter, queue: str) -> InputError:
    if not letter.event:
        return not_awaited(letter, f"queue {queue!r} is gone")
    return InputError(
        f"Dead letter {letter.dead_letter_id} is not sent again: queue {queue!r} is gone, so no "
        f"report waits for event {letter.event!r} on it. Discard it; where the event is wanted, "
        "tell it anew."
    )
