"""A server that takes every connection and never says a word."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from socket import SHUT_RDWR, create_server, socket
from threading import Thread


@dataclass
class SilentServer:
    """What has come to it.

    Attributes:
        port: on 127.0.0.1.
        taken: the connections it has taken.
    """

    port: int
    taken: list[socket] = field(default_factory=list)


@contextmanager
def silent_server() -> Iterator[SilentServer]:
    """Run the server for the block."""
    listener = create_server(("127.0.0.1", 0))
    server = SilentServer(listener.getsockname()[1])

    def take() -> None:
        with suppress(OSError):  # the block has ended
            while True:
                server.taken.append(listener.accept()[0])

    thread = Thread(target=take, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        listener.shutdown(SHUT_RDWR)
        thread.join(5)
        listener.close()
        for connection in server.taken:
            connection.close()
