"""Receipts: every message is sent once per recipient, however often its sender runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reporting.core.redact import without_secrets

if TYPE_CHECKING:
    import psycopg

TRY = """
INSERT INTO reporting.receipt AS known (subject, channel, recipient, is_sent, tries)
VALUES (%s, %s, %s, true, 1)
ON CONFLICT (subject, channel, recipient) DO UPDATE
SET is_sent = true, tries = known.tries + 1, error = NULL, tried_at = now()
WHERE NOT known.is_sent
RETURNING tries
"""
FAIL = """
INSERT INTO reporting.receipt AS known (subject, channel, recipient, is_sent, tries, error)
VALUES (%s, %s, %s, false, 1, %s)
ON CONFLICT (subject, channel, recipient) DO UPDATE
SET tries = known.tries + 1, error = excluded.error, tried_at = now() WHERE NOT known.is_sent
"""
MAX_ERROR = 500


@dataclass(frozen=True)
class Message:
    """One message to one recipient.

    Attributes:
        subject: what it is about, e.g. `release 17` or a failed life of a run.
        channel: `email` or `slack`.
        recipient: address, or connection id of the channel.
        send: sends it and raises when the far side did not take it.
    """

    subject: str
    channel: str
    recipient: str
    send: Callable[[], None]

    @property
    def key(self) -> tuple[str, str, str]:
        """What makes the message unique."""
        return (self.subject, self.channel, self.recipient)


def send_once(connection: psycopg.Connection[Any], message: Message) -> str | None:
    """Send unless it was sent before; a second sender waits for the first one's outcome.

    The receipt is written in the transaction that encloses the sending, so it is there only if
    the far side took the message. A crash between the two sends again rather than never.

    Returns:
        None when the message has been sent, now or before; else why it failed.
    """
    try:
        with connection.transaction():
            if connection.execute(TRY, message.key).fetchone() is not None:
                message.send()
    except Exception as error:  # noqa: BLE001 - any channel's own errors; they are the outcome
        reason = without_secrets(f"{type(error).__name__}: {error}")[:MAX_ERROR]
        if not connection.closed:
            connection.execute(FAIL, (*message.key, reason))
        return reason
    return None


def was_sent(connection: psycopg.Connection[Any], subject: str) -> bool:
    """Say whether any recipient was sent a message about `subject`."""
    query = "SELECT 1 FROM reporting.receipt WHERE subject = %s AND is_sent"
    return connection.execute(query, (subject,)).fetchone() is not None
