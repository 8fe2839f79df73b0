"""Dead letters: one place for messages that nobody could use, whichever way they came (R17).

The broker's queue of them is emptied into the warehouse and the store: kept first, acknowledged
then. From there they are looked at, sent again, or put away. Whoever settles a letter holds the
lock of its row, so that of two people only one does.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from reporting.core.redact import without_secrets
from reporting.core.service.dead_facts import dead_facts
from reporting.core.service.sent_again import not_awaited, send_again
from reporting.core.service.still_awaited import asker, request_key, why_not_awaited
from reporting.core.warehouse.dead_letters import (
    DISCARDED,
    REPLAYED,
    WAITING,
    DeadLetter,
    Order,
    Wanted,
    claim_letters,
    count_letters,
    find_letter,
    forget_settled,
    keep_letter,
    list_letters,
    lock_letter,
    payload_key,
    settle_letter,
)
from reporting.errors import InputError, TerminalError, TransientError
from reporting.queues import DEAD, declare_dead

if TYPE_CHECKING:
    import psycopg
    from pika.adapters.blocking_connection import BlockingChannel

    from reporting.core.objects import Bucket
    from reporting.core.service.broker import Broker
    from reporting.core.service.still_awaited import UnderWay

KEEP_SETTLED = timedelta(days=30)
BATCH = 500


class NoSuchLetterError(InputError):
    """There is no dead letter of that number."""


@dataclass(frozen=True)
class DeadLetters:
    """The dead letters of an installation.

    Attributes:
        warehouse: autocommit connection.
        bucket: bucket of staged data, where the messages are kept.
        by: who settles letters; it is noted.
    """

    warehouse: psycopg.Connection[Any]
    bucket: Bucket
    by: str = ""

    def collect(self, channel: BlockingChannel) -> int:
        """Take all that lie on the broker's queue; return how many."""
        declare_dead(channel)
        count = 0
        while True:
            found: Any = channel.basic_get(DEAD)
            method, properties, body = found
            if method is None:
                claim_letters(self.warehouse)
                return count
            self._keep(dict(properties.headers or {}), properties.reply_to, body)
            channel.basic_ack(method.delivery_tag)
            count += 1

    def listed(
        self, wanted: Wanted, order: Order = "newest", limit: int = 100, offset: int = 0
    ) -> list[DeadLetter]:
        """Return one page of letters, by when they died last."""
        return list_letters(self.warehouse, wanted, order, limit, offset)

    def count(self, wanted: Wanted) -> int:
        """Return how many letters there are."""
        return count_letters(self.warehouse, wanted)

    def one(self, number: int) -> DeadLetter:
        """Return one of any state.

        Raises:
            NoSuchLetterError: there is none of that number.
        """
        return _known(find_letter(self.warehouse, number), number)

    def message(self, letter: DeadLetter) -> bytes:
        """Return the message as it came.

        Raises:
            InputError: it is not kept any more.
        """
        body = self.bucket.get(letter.payload)
        if body is None:
            raise InputError(f"The message of dead letter {letter.dead_letter_id} is gone.")
        return body

    def beginning(self, letter: DeadLetter) -> str | None:
        """Return up to 1,000 characters of the message without secrets; None if it is gone."""
        body = self.bucket.get(letter.payload)
        return None if body is None else without_secrets(body.decode("utf-8", "replace"))

    def replay(self, broker: Broker, number: int, under_way: UnderWay) -> None:
        """Send a message again to where it was for.

        An event's needs no run that waits: its queue is enough, and its id tells a double.

        A crash between the sending and the note of it leaves the letter waiting, so it may be
        sent twice, never not at all; both services and reports recognise doubles.

        Raises:
            InputError: it was settled already, or nobody waits for it any more, or its queue is
                gone.
            TransientError: the broker cannot be reached.
        """
        with self.warehouse.transaction():
            letter = self._locked(number)
            body = self.message(letter)
            key = "" if letter.event else self._awaited(letter, body, under_way)
            with broker.channel() as channel:
                send_again(channel, letter, key, body)
            settle_letter(self.warehouse, number, REPLAYED, self.by)

    def discard(self, number: int) -> None:
        """Put a letter away and remove its message.

        Raises:
            InputError: it was settled already.
        """
        with self.warehouse.transaction():
            letter = self._locked(number)
            settle_letter(self.warehouse, number, DISCARDED, self.by)
            self.bucket.delete([letter.payload])

    def remove_settled(self, older_than: timedelta = KEEP_SETTLED) -> int:
        """Remove letters that were settled so long ago, with their messages; return how many."""
        count = 0
        while True:
            with self.warehouse.transaction():
                gone = forget_settled(self.warehouse, older_than, BATCH)
                self.bucket.delete([letter.payload for letter in gone])
            if not gone:
                return count
            count += len(gone)

    def _awaited(self, letter: DeadLetter, body: bytes, under_way: UnderWay) -> str:
        """Return the key of the request for which somebody waits still."""
        key = request_key(letter, body)
        if why := why_not_awaited(letter, key, self.bucket, under_way):
            raise not_awaited(letter, why)
        return key

    def _locked(self, number: int) -> DeadLetter:
        letter = _known(lock_letter(self.warehouse, number), number)
        if letter.state != WAITING:
            raise InputError(f"Dead letter {number} was {letter.state} already.")
        return letter

    def _keep(self, headers: Mapping[str, Any], reply_to: str | None, body: bytes) -> None:
        facts = asdict(dead_facts(headers, reply_to, body))
        if not facts["report"] and (found := asker(self.warehouse, self.bucket, facts["key"])):
            run, source = found
            facts |= {"report": run.report, "run_id": run.run_id, "source": source}
        facts |= {"digest": hashlib.sha256(body).hexdigest(), "bytes": len(body)}
        # A letter from the future would be the newest for ever, and hide those that come.
        facts["at"] = min(facts["at"] or datetime.max.replace(tzinfo=UTC), datetime.now(UTC))
        # In the lock of the row, so that nobody who discards it removes what is put here.
        with self.warehouse.transaction():
            if keep_letter(self.warehouse, facts):
                self.bucket.put(payload_key(facts["digest"], facts["queue"]), body)


def refusals(act: Callable[[int], None], numbers: Sequence[int]) -> dict[int, str]:
    """Do it to several letters; return those it was not done to, with the reason.

    What goes away in between is not asked again for the rest: they are returned with that reason.

    Raises:
        TransientError: it is away from the first.
    """
    refused: dict[int, str] = {}
    for place, number in enumerate(numbers):
        try:
            act(number)
        except TerminalError as error:
            refused[number] = str(error)
        except TransientError as error:
            if place == 0:
                raise
            return refused | dict.fromkeys(numbers[place:], str(error))
    return refused


def _known(letter: DeadLetter | None, number: int) -> DeadLetter:
    if letter is None:
        raise NoSuchLetterError(f"There is no dead letter {number}.")
    return letter
