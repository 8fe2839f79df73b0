"""The service's side of messages: answers the requests of reports, in ten lines.

    from reporting.service import serve

    def planes(request):
        yield from database.rows("SELECT …", request.asked["tailnums"])

    serve("amqp://user:password@host/vhost", "planes.lookup", planes)

The handler runs in a thread of its own, one request after the other, so that work of any length
keeps its connection; between rows it may yield `Working("half of it")` as a sign of life. A
request is acknowledged only after its last part is at the broker, so that one that is cut short
is done again: an answer must be the same each time. Doubles are recognised by the report.

A request that its report has given up stays on the queue, and its answer finds no queue to go to.
A handler that yields `Working` at its start, and now and then, is stopped at its next yield; one
that does not works to its first rows for nothing.

A handler that raises `Refused` answers that there will be no rows; any other error leaves the
request to be tried again, and after some tries to the dead letters, and ends the program: whatever
starts programs again pauses in between.
"""

from __future__ import annotations

import logging
from functools import partial
from queue import Empty
from threading import Event
from typing import Any

from reporting.core.redact import without_secrets
from reporting.messages import CONTENT_TYPE, MessageError, Reply, Request, reply_bytes, request_from
from reporting.queues import TRIES, declare_request_queue, set_aside
from reporting.serving import stay_connected, told_to_end
from reporting.work import Handler, Refused, Rows, Work, Working, Works

__all__ = ["Handler", "Refused", "Rows", "Working", "answer", "serve"]

log = logging.getLogger(__name__)

LOOK_SECONDS = 0.5  # how soon the end is noticed


def serve(url: str, queue: str, handler: Handler) -> None:
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
    works = Works(handler)
    with told_to_end() as ending:
        stay_connected(url, ending, partial(_take_requests, queue, works, ending))


def _take_requests(queue: str, works: Works, ending: Event, connection: Any) -> None:
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
            answer(channel, method, properties, body, works)


def answer(channel: Any, method: Any, properties: Any, body: bytes, works: Works) -> None:
    """Answer one request and acknowledge it; what is no request goes to the dead letters.

    Raises:
        AMQPError: the connection is lost; the request will be delivered again.
        BaseException: what the handler raised; the request will be tried again, or was set aside.
    """
    from pika.exceptions import AMQPError, UnroutableError

    try:
        work = works.on(_request(properties, body))
        while (reply := _next_reply(channel, work)) is not None:
            _send(channel, properties.reply_to, reply)
            work.sent()
    except MessageError as error:
        _set_aside(channel, method, properties, body, str(error))
    except UnroutableError:
        work.abandon()  # nobody waits for the answer any more
    except AMQPError:
        raise
    except BaseException as error:
        # Else the broker takes the request back when the connection ends. Handed back before that,
        # it would come to this very program once more, and be counted twice.
        if _deliveries(properties) > TRIES:
            why = f"its service failed on it: {type(error).__name__}: {error}"
            _set_aside(channel, method, properties, body, why)
            channel.basic_ack(method.delivery_tag)
        raise
    channel.basic_ack(method.delivery_tag)


def _set_aside(channel: Any, method: Any, properties: Any, body: bytes, why: str) -> None:
    told = {"reason": without_secrets(why), "queue": method.routing_key}
    set_aside(channel, body, {**told, "deliveries": _deliveries(properties)})


def _deliveries(properties: Any) -> int:
    told = (properties.headers or {}).get("x-delivery-count", 0)
    return told + 1 if isinstance(told, int) else 1


def _request(properties: Any, body: bytes) -> Request:
    if not properties.reply_to:
        raise MessageError("it does not say where to answer")
    return request_from(body)


def _next_reply(channel: Any, work: Work) -> Reply | None:
    while True:
        try:
            return work.reply(LOOK_SECONDS)
        except Empty:
            channel.connection.process_data_events(0)  # heartbeats


def _send(channel: Any, queue: str, reply: Reply) -> None:
    import pika

    properties = pika.BasicProperties(
        content_type=CONTENT_TYPE, delivery_mode=2, correlation_id=reply.key
    )
    channel.basic_publish("", queue, reply_bytes(reply), properties, mandatory=True)
