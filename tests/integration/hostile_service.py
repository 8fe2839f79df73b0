"""A hostile service: parts out of order and twice, poison among them, connections that break.

Usage: python -m tests.integration.hostile_service PLACE
"""

from __future__ import annotations

import logging
import sys
from functools import partial
from threading import Event
from typing import Any
from urllib.parse import quote

from pika.exceptions import AMQPConnectionError, UnroutableError

from reporting.messages import MessageError, request_from
from reporting.queues import declare_request_queue, set_aside
from reporting.serving import stay_connected, told_to_end
from tests.integration.hostile_place import Place, place_from
from tests.integration.hostile_plan import Plan
from tests.integration.message_service import publish


def main(place: Place) -> None:
    """Serve until told to end."""
    at = place.broker
    login = f"{at.login}:{quote(at.password)}"
    url = f"amqp://{login}@{at.host}:{at.port}/{quote(at.vhost, safe='')}"
    logging.disable(logging.CRITICAL)
    with told_to_end() as ending:
        stay_connected(url, ending, partial(take_requests, place, ending))


def take_requests(place: Place, ending: Event, connection: Any) -> None:
    """Answer over one connection."""
    channel = connection.channel()
    channel.confirm_delivery()
    declare_request_queue(channel, place.source.queue)
    channel.basic_qos(prefetch_count=5)
    for method, properties, body in channel.consume(place.source.queue, inactivity_timeout=0.2):
        if ending.is_set():
            return
        if method is not None:
            answer(place.plan, channel, method, properties, body)


def answer(plan: Plan, channel: Any, method: Any, properties: Any, body: bytes) -> None:
    """Answer one request as the plan says."""
    try:
        request = request_from(body)
    except MessageError as error:
        set_aside(channel, body, {"reason": str(error), "queue": method.routing_key})
        channel.basic_ack(method.delivery_tag)
        return
    messages = plan.messages(request)
    deliveries = int((properties.headers or {}).get("x-delivery-count", 0))
    breaks = plan.loses_connection(int(request.asked["number"]), deliveries)
    try:
        for count, message in enumerate(messages):
            if breaks and count == len(messages) - 1:
                raise AMQPConnectionError("the plan says so")
            publish(channel, properties.reply_to, message)
    except UnroutableError:
        pass
    channel.basic_ack(method.delivery_tag)


if __name__ == "__main__":
    main(place_from(sys.argv[1]))
