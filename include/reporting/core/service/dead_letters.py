"""Dead letters: one place for messages that nobody could use, whichever way they came (R17).

The broker's queue of them is emptied into the warehouse and the store: kept first, acknowledged
then. From there they are looked at, sent again, or put away.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from reporting.core.redact import without_secrets
from reporting.core.service.broker import declare_dead, reply_queue
from reporting.errors import InputError
from reporting.messages import CONTENT_TYPE, DEAD, MessageError, request_from

if TYPE_CHECKING:
    import psycopg
    from pika.adapters.blocking_connection import BlockingChannel

    from reporting.core.objects import Bucket

FOLDER = "_dead_letters/"  # no report name starts with _
KEEP = """
INSERT INTO reporting.dead_letter
    (digest, queue, reason, source, report, run_id, tries, first_at, last_at)
VALUES (%(digest)s, %(queue)s, %(reason)s, %(source)s, %(report)s, %(run_id)s, %(tries)s,
    %(at)s, %(at)s)
ON CONFLICT (digest, queue) DO UPDATE SET state = 'waiting', last_at = excluded.last_at,
    reason = excluded.reason, tries = reporting.dead_letter.tries + excluded.tries
"""
SELECT = """
SELECT dead_letter_id, digest, queue, reason, source, report, run_id, tries, state, first_at,
    last_at
FROM reporting.dead_letter
"""


@dataclass(frozen=True)
class DeadLetter:
    """A message that nobody could use; the columns of `reporting.dead_letter`."""

    dead_letter_id: int
    digest: str
    queue: str
    reason: str
    source: str | None
    report: str | None
    run_id: str | None
    tries: int
    state: str
    first_at: datetime
    last_at: datetime


@dataclass(frozen=True)
class DeadLetters:
    """The dead letters of an installation.

    Attributes:
        warehouse: autocommit connection.
        bucket: where the messages are kept.
    """

    warehouse: psycopg.Connection[Any]
    bucket: Bucket

    def collect(self, channel: BlockingChannel) -> int:
        """Take all that lie on the broker's queue; return how many."""
        declare_dead(channel)
        count = 0
        while True:
            found: Any = channel.basic_get(DEAD)
            method, properties, body = found
            if method is None:
                return count
            self._keep(dict(properties.headers or {}), properties.reply_to, body)
            channel.basic_ack(method.delivery_tag)
            count += 1

    def waiting(self) -> list[DeadLetter]:
        """Return those that wait for somebody, the oldest first."""
        found = self.warehouse.execute(SELECT + "WHERE state = 'waiting' ORDER BY dead_letter_id")
        return [DeadLetter(*row) for row in found]

    def one(self, number: int) -> DeadLetter:
        """Return one of any state.

        Raises:
            InputError: there is none of that number.
        """
        query = SELECT + "WHERE dead_letter_id = %s"
        row = self.warehouse.execute(query, (number,)).fetchone()
        if row is None:
            raise InputError(f"There is no dead letter {number}.")
        return DeadLetter(*row)

    def message(self, letter: DeadLetter) -> bytes:
        """Return the message as it came.

        Raises:
            InputError: it is not kept any more.
        """
        body = self.bucket.get(FOLDER + letter.digest)
        if body is None:
            raise InputError(f"The message of dead letter {letter.dead_letter_id} is gone.")
        return body

    def replay(self, channel: BlockingChannel, number: int) -> None:
        """Send a message again to where it was for.

        Raises:
            InputError: it was put away or sent already, or nobody waits for it any more.
        """
        import pika
        from pika.exceptions import UnroutableError

        letter = self._waiting(number)
        body = self.message(letter)
        properties = pika.BasicProperties(
            content_type=CONTENT_TYPE, delivery_mode=2, reply_to=_reply_to(body)
        )
        try:
            channel.basic_publish("", letter.queue, body, properties, mandatory=True)
        except UnroutableError:
            raise InputError(
                f"Dead letter {number} was for queue {letter.queue!r}, which is gone: nobody waits "
                "for it any more. Discard it, and clear the fetch if its rows are wanted."
            ) from None
        self._mark(number, "replayed")

    def discard(self, number: int) -> None:
        """Put a letter away and remove its message.

        Raises:
            InputError: it was put away or sent already.
        """
        letter = self._waiting(number)
        self._mark(number, "discarded")
        self.bucket.delete([FOLDER + letter.digest])

    def _waiting(self, number: int) -> DeadLetter:
        letter = self.one(number)
        if letter.state != "waiting":
            raise InputError(f"Dead letter {number} was {letter.state} already.")
        return letter

    def _mark(self, number: int, state: str) -> None:
        self.warehouse.execute(
            "UPDATE reporting.dead_letter SET state = %s WHERE dead_letter_id = %s", (state, number)
        )

    def _keep(self, headers: Mapping[str, Any], reply_to: str | None, body: bytes) -> None:
        digest = hashlib.sha256(body).hexdigest()
        self.bucket.put(FOLDER + digest, body)
        self.warehouse.execute(KEEP, {"digest": digest, **_told(headers, reply_to, body)})


def _told(headers: Mapping[str, Any], reply_to: str | None, body: bytes) -> dict[str, Any]:
    """Return what is known of a message: what was told with it, or what the broker and it say."""
    deaths = headers.get("x-death") or [{}]
    known = _own(body)
    reason = headers.get("reason") or f"given up by its service ({deaths[0].get('reason')})"
    queue = headers.get("queue") or headers.get("x-first-death-queue") or reply_to or DEAD
    return {
        "queue": queue,
        "reason": without_secrets(str(reason)),
        "source": headers.get("source") or known.get("source"),
        "report": headers.get("report") or known.get("report"),
        "run_id": headers.get("run_id") or known.get("run_id"),
        "tries": max(int(deaths[0].get("count", 1)), 1),
        "at": datetime.now(UTC),
    }


def _own(body: bytes) -> dict[str, str]:
    try:
        request = request_from(body)
    except MessageError:
        return {}
    return {"source": request.source, "report": request.report, "run_id": request.run}


def _reply_to(body: bytes) -> str | None:
    """Return where a request is answered; a reply is answered nowhere."""
    try:
        return reply_queue(request_from(body).key)
    except MessageError:
        return None
