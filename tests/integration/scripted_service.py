"""A real HTTP server on a free port that gives the answers a test has written down."""

from __future__ import annotations

import json
import ssl
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
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
        pace: seconds before each byte of the body.
        head_pace: seconds before each byte of a long header.
    """

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    hold: Event | None = None
    is_cut: bool = False
    pace: float = 0.0
    head_pace: float = 0.0


def page(*rows: Mapping[str, Any], cursor: Any = None) -> Reply:
    """Return an answer of a paged service."""
    return Reply(json.dumps({"items": rows, "next": cursor}).encode())


@dataclass
class Request:
    """What a client has sent.

    Attributes:
        target: path and query as they came.
    """

    path: str
    query: dict[str, str]
    headers: dict[str, str]
    method: str = "GET"
    body: bytes = b""
    target: str = ""


@dataclass(frozen=True)
class Service:
    """A running server.

    Attributes:
        url: its address.
        requests: what it was asked, in order.
    """

    url: str
    requests: list[Request]


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, answer: Callable[[Request], Reply]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answer = answer
        self.requests: list[Request] = []


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        query = dict(parse_qsl(parts.query, True))
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        request = Request(parts.path, query, dict(self.headers), self.command, body, self.path)
        self.server.requests.append(request)
        reply = self.server.answer(request)
        if not reply.is_cut:
            with suppress(OSError):  # whoever asked has gone away
                self._send(reply)

    do_POST = do_PATCH = do_DELETE = do_GET  # noqa: N815 - names of the base

    def _send(self, reply: Reply) -> None:
        self.send_response(reply.status)
        usual = {"Content-Type": "application/json", "Content-Length": str(len(reply.body))}
        if "Transfer-Encoding" in reply.headers:
            del usual["Content-Length"]
        for name, value in {**usual, **reply.headers}.items():
            self.send_header(name, value)
        if reply.head_pace:
            self.flush_headers()
            self._drip(b"X-Slow: " + b"x" * 10_000 + b"\r\n", reply.head_pace)
        self.end_headers()
        if reply.hold is not None:
            reply.hold.wait(30)
        if reply.pace:
            self._drip(reply.body, reply.pace)
        else:
            self.wfile.write(reply.body)

    def _drip(self, text: bytes, pace: float) -> None:
        for byte in text:
            time.sleep(pace)
            self.wfile.write(bytes([byte]))

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base's name
        """Say nothing."""


@contextmanager
def serving(
    answer: Callable[[Request], Reply], tls: ssl.SSLContext | None = None
) -> Iterator[Service]:
    """Run a server that answers by `answer`, in TLS where a context for it is given."""
    server = _Server(answer)
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        scheme = "http" if tls is None else "https"
        yield Service(f"{scheme}://127.0.0.1:{server.server_port}", server.requests)
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
