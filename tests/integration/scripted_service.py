"""A real HTTP server on a free port that gives the answers a test has written down."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any
from urllib.parse import parse_qsl, urlsplit


@dataclass(frozen=True)
class Reply:
    """One answer: sent as it is, also when it breaks the rules of HTTP.

    Attributes:
        body: what is sent.
        status: HTTP status.
        headers: sent over the usual ones; Content-Length is the body's unless given.
        hold: waits for this before the body is sent.
        is_cut: the connection is closed and nothing is sent.
    """

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    hold: Event | None = None
    is_cut: bool = False


def page(*rows: Mapping[str, Any], cursor: Any = None) -> Reply:
    """Return an answer of a paged service."""
    return Reply(json.dumps({"items": rows, "next": cursor}).encode())


@dataclass
class Request:
    """What a client has sent."""

    path: str
    query: dict[str, str]
    headers: dict[str, str]
    method: str = "GET"
    body: bytes = b""


@dataclass(frozen=True)
class Service:
    """A running server.

    Attributes:
        url: its address.
        requests: what it was asked, in order.
    """

    url: str
    requests: list[Request]


@contextmanager
def serving(answer: Callable[[Request], Reply]) -> Iterator[Service]:
    """Run a server that answers by `answer`."""
    requests: list[Request] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            query = dict(parse_qsl(parts.query, True))
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            request = Request(parts.path, query, dict(self.headers), self.command, body)
            requests.append(request)
            self._send(answer(request))

        do_POST = do_DELETE = do_GET  # noqa: N815 - names of the base

        def _send(self, reply: Reply) -> None:
            if reply.is_cut:
                self.close_connection = True
                return
            self.send_response(reply.status)
            usual = {"Content-Type": "application/json", "Content-Length": str(len(reply.body))}
            if "Transfer-Encoding" in reply.headers:
                del usual["Content-Length"]
            for name, value in {**usual, **reply.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            if reply.hold is not None:
                reply.hold.wait(30)
            self.wfile.write(reply.body)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base's name
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield Service(f"http://127.0.0.1:{server.server_port}", requests)
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
