"""One request and what is answered to it: asked, heard part by part, asked again when lost."""

from __future__ import annotations

import logging
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from threading import Event, Thread
from time import monotonic, sleep
from typing import TYPE_CHECKING

from reporting.core.service.asking import end_request
from reporting.core.service.broker import (
    Broker,
    count_replies,
    forget_replies,
    reply_queue,
    send_request,
)
from reporting.core.service.inbox import Inbox
from reporting.core.service.receiving import receive
from reporting.core.service.watch import LATE, LOST, STALLED
from reporting.errors import TransientError

if TYPE_CHECKING:
    from reporting.core.service.request_record import RequestRecord, RequestRecords
    from reporting.definition.messages import MessageSource
    from reporting.messages import Request

log = logging.getLogger(__name__)

# A queue that does not answer for so long never will; one that is only slow is made anew too,
# and its request is answered again.
ANSWERS_WITHIN = timedelta(seconds=10)
PAUSE_SECONDS = 0.1
WHY = {
    STALLED: "the service on queue {queue!r} sent nothing for {stalled_after}",
    LATE: "the answer had not ended after {time_limit}",
}


@dataclass(frozen=True)
class Conversation:
    """The exchange of messages for one request.

    Attributes:
        source: who asks.
        broker: where the messages go through.
        records: of the run.
        record: of the request.
        request: what is asked.
    """

    source: MessageSource
    broker: Broker
    records: RequestRecords
    record: RequestRecord
    request: Request

    @property
    def inbox(self) -> Inbox:
        """Where the answer is kept."""
        run = self.records.run
        return Inbox(self.records.bucket, run, self.source.name, self.request.key)

    def ask_once(self) -> None:
        """Send the request unless that was done before; sent twice, it is one all the same.

        Raises:
            TransientError: the broker cannot be reached, or nobody takes such requests.
        """
        if self.record.job:
            self._ask_again_if_lost()
            return
        asked = replace(self.record, cancel=self.request.key)
        self.records.write(asked)
        self._ask()
        self.records.write(replace(asked, job=self.request.key))

    def hear_within(self, time: timedelta) -> bool:
        """Hear a service that answers at once; return whether its answer is whole.

        Raises:
            TransientError: as `hear`.
        """
        until = monotonic() + time.total_seconds()
        while not self.hear(None):
            if monotonic() >= until or not self._reply_comes(until):
                return False
        return True

    def hear(self, outcome: str | None) -> bool:
        """Keep and acknowledge what has come; return whether the answer is whole.

        Args:
            outcome: how the waiting has ended.

        Raises:
            TransientError: the service refuses, contradicts itself, is silent, or takes too long:
                the request is ended, and another one may do better. Or the broker is away.
        """
        if outcome == LOST and self._ask_again_if_lost():
            return False
        with self.broker.channel() as channel:
            count = receive(channel, self.inbox)
        if failed := self.inbox.failed:
            raise self._given_up(failed)
        if self.inbox.missing == []:
            return True
        if outcome in WHY and not count:
            raise self._given_up(WHY[outcome].format(**vars(self.source)))
        return False

    def end(self, reason: str) -> None:
        """Note that nothing more comes of the request, and remove what was kept for it."""
        self._forget_replies()
        end_request(self.records, self.record, reason)
        self.inbox.forget()

    def _reply_comes(self, until: float) -> bool:
        """Wait for a message, over one connection and without a look at the store."""
        with self.broker.channel() as channel:
            while count_replies(channel, self.request.key) == 0:
                if monotonic() >= until:
                    return False
                sleep(PAUSE_SECONDS)
        return True

    def _given_up(self, why: str) -> TransientError:
        self.end(why)
        return TransientError(f"Source {self.source.name!r}: {why}. Nothing was committed.")

    def _ask(self) -> None:
        with self.broker.channel() as channel:
            send_request(channel, self.source.queue, self.request, self.source.time_limit)

    def _forget_replies(self) -> None:
        with self.broker.channel() as channel:
            forget_replies(channel, self.request.key)

    def _ask_again_if_lost(self) -> bool:
        """Ask again when the reply queue is gone or dead; return whether it was.

        RabbitMQ forgets a queue that was made within a second or two of its sudden end, or knows
        its name and never answers for it (rabbitmq-server#15725). Parts that came before are
        kept, and those that come twice are known.
        """
        if self._queue_answers():
            return False
        log.warning("The reply queue of %s is lost; asking again.", self.source.name)
        self._forget_replies()
        self._ask()
        return True

    def _queue_answers(self) -> bool:
        answered = Event()
        # The broker may let a question wait for a minute; removing the queue ends it.
        look = Thread(target=self._look, args=(answered,), daemon=True)
        look.start()
        look.join(ANSWERS_WITHIN.total_seconds())
        return answered.is_set()

    def _look(self, answered: Event) -> None:
        """Take a message, if there is one, without acknowledging it."""
        # A broker that is away will be noticed when the queue is made again.
        with suppress(TransientError), self.broker.channel() as channel:
            channel.basic_get(reply_queue(self.request.key))
            answered.set()
