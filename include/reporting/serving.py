"""Keeps a service at its broker: waits for one that is away, and ends when it is told to."""

from __future__ import annotations

import logging
import random
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event
from typing import TYPE_CHECKING, Any

from reporting.any_headers import take_any_headers
from reporting.errors import TerminalError

if TYPE_CHECKING:
    from pika import BlockingConnection, URLParameters

log = logging.getLogger(__name__)

FIRST_PAUSE, LONGEST_PAUSE = 1.0, 15.0  # seconds between two tries to connect
GROWTH = 2.0
STEADY = 60.0  # a connection that held for so many seconds was a good one
SIGNALS = (signal.SIGTERM, signal.SIGINT)


@contextmanager
def told_to_end() -> Iterator[Event]:
    """Yield an event that the first SIGTERM or SIGINT sets; the second does what it always does.

    Outside the main thread, where no signal can be heard, nothing sets it.
    """
    ending = Event()
    if threading.current_thread() is not threading.main_thread():
        yield ending
        return
    before = {number: signal.getsignal(number) for number in SIGNALS}

    def restore() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)

    def end(number: int, _frame: object) -> None:
        log.info("Told to end by %s; a request under way is answered first.", _name(number))
        ending.set()
        restore()

    for number in SIGNALS:
        signal.signal(number, end)
    try:
        yield ending
    finally:
        restore()


def stay_connected(url: str, ending: Event, work: Callable[[BlockingConnection], None]) -> None:
    """Work over a connection, and over a new one when it is lost, until it is time to end.

    Args:
        url: of the broker.
        ending: set when it is time.
        work: returns when it is time to end, or when it cannot go on over this connection.

    Raises:
        TerminalError: the URL is none of a broker.
    """
    from pika.exceptions import AMQPError

    parameters = _parameters(url)
    pause = 0.0
    while not ending.is_set():
        fault, since = "the queue was removed", time.monotonic()
        try:
            with _connected(parameters) as connection:
                work(connection)
        except AMQPError as error:
            fault = repr(error)
        if ending.is_set():
            return
        pause = next_pause(pause, time.monotonic() - since)
        # Cut by chance: services that lost the same broker do not all come back at once.
        seconds = pause * random.uniform(0.5, 1.0)  # noqa: S311
        log.warning("%s: %s. Trying again in %.1f s.", _where(parameters), fault, seconds)
        ending.wait(seconds)


def next_pause(pause: float, held: float) -> float:
    """Return how long to wait now, in seconds.

    Args:
        pause: how long was waited the last time; 0 when that is the first.
        held: how long the connection held.
    """
    if pause == 0 or held >= STEADY:
        return FIRST_PAUSE
    return min(pause * GROWTH, LONGEST_PAUSE)


def is_served(url: str, queue: str) -> bool:
    """Whether somebody takes requests from the queue now; for health checks.

    Raises:
        TerminalError: the URL is none of a broker.
    """
    from pika.exceptions import AMQPError

    try:
        with _connected(_parameters(url)) as connection:
            declared: Any = connection.channel().queue_declare(queue, passive=True)
            return bool(declared.method.consumer_count)
    except AMQPError:
        return False


def _parameters(url: str) -> URLParameters:
    import pika

    try:
        if url.startswith(("amqp://", "amqps://")):
            return pika.URLParameters(url)
    except (ValueError, LookupError):
        pass  # what the URL says may be a secret, and so may be the error
    raise TerminalError(
        "That is no URL of a broker; allowed: amqp://user:password@host:port/virtual-host."
    )


def _connected(parameters: URLParameters) -> BlockingConnection:
    import pika
    from pika.exceptions import AMQPConnectionError

    take_any_headers()
    try:
        connection = pika.BlockingConnection(parameters)
    except OSError as error:  # such as a name that nobody knows
        raise AMQPConnectionError(error) from error
    log.info("Connected to %s.", _where(parameters))
    return connection


def _where(parameters: URLParameters) -> str:
    return f"broker {parameters.host}:{parameters.port}, virtual host {parameters.virtual_host!r}"


def _name(number: int) -> str:
    return signal.Signals(number).name
