"""One request and what is answered to it: asked, heard part by part, asked again when lost."""

from __future__ import annotations

import logging
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from threading import Event, Thread
from typing import TYPE_CHECKING

from reporting.core.service.broker import Broker, forget_replies, reply_queue, send_request
from reporting.core.service.receiving import receive
from reporting.errors import TransientError

if TYPE_CHECKING:
    from reporting.core.service.inbox import Inbox
    from reporting.messages import Request

log = logging.getLogger(__name__)

# A queue that does not answer for so long never will; one that is only slow is made anew too,
# and its request is answered again.
ANSWERS_WITHIN = timedelta(seconds=15)


@dataclass(frozen=True)
class Conversation:
    """The exchange of messages for one request.

    Attributes:
        broker: where the messages go through.
        queue: where the service takes requests.
        request: what is asked.
        inbox: where the answer is kept.
        time_limit: how long the answer may take.
    """

    broker: Broker
    queue: str
    request: Request
    inbox: Inbox
    time_limit: timedelta

    def ask(self) -> None:
        """Send the request; sent twice, it is one request all the same.

        Raises:
            TransientError: the broker cannot be reached, or nobody takes such requests.
        """
        with self.broker.channel() as channel:
            send_request(channel, self.queue, self.request, self.time_limit)

    def hear(self) -> int:
        """Keep and acknowledge what has come; return how many messages.

        Raises:
            TransientError: the broker cannot be reached.
        """
        with self.broker.channel() as channel:
            return receive(channel, self.inbox)

    def ask_again_if_lost(self) -> bool:
        """Ask again when the reply queue is gone or dead; return whether it was.

        RabbitMQ forgets a queue that was made within a second or two of its sudden end, or knows
        its name and never answers for it (rabbitmq-server#15725). Parts that came before are
        kept, and those that come twice are known.

        Raises:
            TransientError: the broker cannot be reached.
        """
        if self._queue_answers():
            return False
        log.warning("The reply queue of %s is lost; asking again.", self.request.source)
        self.end()
        self.ask()
        return True

    def end(self) -> None:
        """Remove the reply queue with all that is in it."""
        with self.broker.channel() as channel:
            forget_replies(channel, self.request.key)

    def _queue_answers(self) -> bool:
        answered = Event()
        # The broker may let a question wait for a minute; removing the queue ends it.
        Thread(target=self._look, args=(answered,), daemon=True).start()
        return answered.wait(ANSWERS_WITHIN.total_seconds())

    def _look(self, answered: Event) -> None:
        """Take a message, if there is one, without acknowledging it."""
        # A broker that is away will be noticed when the queue is made again.
        with suppress(TransientError), self.broker.channel() as channel:
            channel.basic_get(reply_queue(self.request.key))
            answered.set()
