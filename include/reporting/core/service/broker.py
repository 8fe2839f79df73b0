"""The broker: requests go out confirmed, replies wait until they are taken."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from reporting.any_headers import take_any_headers
from reporting.errors import TransientError
from reporting.messages import CONTENT_TYPE, Request, request_bytes
from reporting.queues import declare_reply_queue

if TYPE_CHECKING:
    from pika.adapters.blocking_connection import BlockingChannel

CONNECT_SECONDS = 10
HEARTBEAT_SECONDS = 60
# Clean-up removes a queue. One that is removed in the instant before its broker is killed comes
# back with it, and goes by itself.
GRACE = timedelta(hours=1)


@dataclass(frozen=True)
class Broker:
    """Where the broker is and how to log in."""

    host: str
    port: int
    login: str
    password: str = field(repr=False)
    vhost: str

    @contextmanager
    def channel(self) -> Iterator[BlockingChannel]:
        """Open a channel on which a publish returns when the broker has the message.

        Raises:
            TransientError: the broker cannot be reached, or the connection is lost.
        """
        import pika
        from pika.exceptions import AMQPError

        take_any_headers()
        credentials = pika.PlainCredentials(self.login, self.password)
        parameters = pika.ConnectionParameters(
            self.host,
            self.port,
            self.vhost,
            credentials,
            heartbeat=HEARTBEAT_SECONDS,
            socket_timeout=CONNECT_SECONDS,
            stack_timeout=CONNECT_SECONDS,
            blocked_connection_timeout=CONNECT_SECONDS * 3,
        )
        try:
            with pika.BlockingConnection(parameters) as connection:
                channel = connection.channel()
                channel.confirm_delivery()
                yield channel
        except (AMQPError, OSError) as error:
            where = f"{self.host}:{self.port}, virtual host {self.vhost!r}"
            raise TransientError(f"Broker {where}: {error!r}") from None


def reply_queue(key: str) -> str:
    """Return the name of the queue on which a request is answered."""
    return f"reports.reply.{key}"


def send_request(
    channel: BlockingChannel, queue: str, request: Request, time_limit: timedelta
) -> None:
    """Make the reply queue and send the request; sent twice, it is one request all the same.

    Raises:
        TransientError: there is no such queue; the service has never run.
    """
    import pika
    from pika.exceptions import UnroutableError

    declare_reply_queue(channel, reply_queue(request.key), time_limit + GRACE)
    properties = pika.BasicProperties(
        content_type=CONTENT_TYPE,
        delivery_mode=2,
        message_id=request.key,
        correlation_id=request.key,
        reply_to=reply_queue(request.key),
    )
    try:
        channel.basic_publish("", queue, request_bytes(request), properties, mandatory=True)
    except UnroutableError:
        forget_replies(channel, request.key)
        raise TransientError(
            f"Source {request.source!r}: the broker has no queue {queue!r}; start the service that "
            "takes its requests."
        ) from None


def count_replies(channel: BlockingChannel, key: str) -> int | None:
    """Return how many replies wait; None when their queue is gone."""
    from pika.exceptions import ChannelClosedByBroker

    try:
        declared: Any = channel.queue_declare(reply_queue(key), passive=True)
    except ChannelClosedByBroker:
        return None
    return int(declared.method.message_count)


def forget_replies(channel: BlockingChannel, key: str) -> None:
    """Remove the reply queue with all that is in it; one that is gone is no fault."""
    channel.queue_delete(reply_queue(key))
