"""The service's side of messages: answers the requests of reports, in ten lines.

    from reporting.service import serve

    def planes(request):
        yield from database.rows("SELECT …", request.asked["tailnums"])

    serve("amqp://user:password@host/vhost", "planes.lookup", planes)

A request is acknowledged only after its last part is at the broker, so that one that is cut
short is done again: an answer must be the same each time. Doubles are recognised by the report.
A handler that raises `Refused` answers that there will be no rows; any other error leaves the
request to be tried again, and after some tries to the dead letters. It also ends the program, which
is to be started again by what watches over it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import islice
from threading import Event
from typing import Any

from reporting.messages import (
    CONTENT_TYPE,
    MessageError,
    Reply,
    Request,
    reply_bytes,
    request_from,
)
from reporting.queues import declare_request_queue
from reporting.serving import stay_connected, told_to_end

log = logging.getLogger(__name__)

LOOK_SECONDS = 0.5  # how soon the end is noticed
ROWS_A_PART = 1000
Rows = Iterable[Mapping[str, Any]]


class Refused(Exception):  # noqa: N818 - what has happened, not an error of the program
    """There will be no rows, and asking again will not help; the report is told why."""


def serve(url: str, queue: str, handler: Callable[[Request], Rows]) -> None:
    """Answer requests one after the other until the program is told to end by SIGTERM or SIGINT.

    A broker that is away, or goes away, is waited for. What happens is logged.

    Args:
        url: of the broker.
        queue: where requests come in; it is made if it is not there.
        handler: returns the rows; a generator may make them while they are sent.

    Raises:
        TerminalError: the URL is none of a broker.
        Exception: whatever the handler raises, `Refused` apart.
    """
    with told_to_end() as ending:
        stay_connected(url, ending, partial(_take_requests, queue, handler, ending))


def _take_requests(
    queue: str, handler: Callable[[Request], Rows], ending: Event, connection: Any
) -> None:
    """Answer requests until it is time to end, or the queue is removed."""
    channel = connection.channel()
    channel.confirm_delivery()
    declare_request_queue(channel, queue)
    channel.basic_qos(prefetch_count=1)
    log.info("Waiting for requests on queue %r.", queue)
    for method, properties, body in channel.consume(queue, inactivity_timeout=LOOK_SECONDS):
        if ending.is_set():
            return
        if method is not None:
            answer(channel, method, properties, body, handler)


def answer(
    channel: Any, method: Any, properties: Any, body: bytes, handler: Callable[[Request], Rows]
) -> None:
    """Answer one request and acknowledge it; what is no request goes to the dead letters."""
    try:
        request = request_from(body)
    except MessageError:
        channel.basic_reject(method.delivery_tag, requeue=False)
        return
    try:
        for reply in _replies(request, handler):
            _send(channel, properties.reply_to, reply)
    except Refused as refusal:
        _send(channel, properties.reply_to, Reply(request.key, failed=str(refusal) or "refused"))
    except _gone():
        pass  # nobody waits for the answer any more
    except Exception:
        channel.basic_nack(method.delivery_tag, requeue=True)
        raise
    channel.basic_ack(method.delivery_tag)


def sign_of_life(channel: Any, reply_to: str, key: str, progress: str) -> None:
    """Tell a waiting report that the service still works on its request."""
    _send(channel, reply_to, Reply(key, progress=progress))


def _replies(request: Request, handler: Callable[[Request], Rows]) -> Iterator[Reply]:
    """Return the parts; one is held back until it is known whether it is the last."""
    rows, number = iter(handler(request)), 1
    part = list(islice(rows, ROWS_A_PART))
    while following := list(islice(rows, ROWS_A_PART)):
        yield Reply(request.key, number, rows=part)
        part, number = following, number + 1
    yield Reply(request.key, number, is_last=True, rows=part)


def _send(channel: Any, queue: str, reply: Reply) -> None:
    import pika

    properties = pika.BasicProperties(
        content_type=CONTENT_TYPE, delivery_mode=2, correlation_id=reply.key
    )
    channel.basic_publish("", queue, reply_bytes(reply), properties, mandatory=True)


def _gone() -> type[Exception]:
    from pika.exceptions import UnroutableError

    return UnroutableError
