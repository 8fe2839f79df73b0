"""A hostile HTTP service: it answers well, and plays a fault when it is told to.

Each fault has a name and is what is sent in place of the good answer.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.integration.scripted_service import Reply, Request

Answer = Callable[[Request], Reply]
Fault = Callable[[Reply], Reply]  # makes of the good answer what is sent instead
PAGE_FOR_PEOPLE = b"<!DOCTYPE html>\n<html><body>Please log in</body></html>\n"
CHUNKED = {"Transfer-Encoding": "chunked"}
ZIPPED = {"Content-Encoding": "gzip"}


def cut_length(good: Reply) -> Reply:
    """Send all, and have announced more: what came looks whole."""
    return Reply(good.body, headers={"Content-Length": str(len(good.body) + 100)})


def cut_short(good: Reply) -> Reply:
    """Break off in the middle of the body."""
    half = len(good.body) // 2
    return Reply(good.body[:half], headers={"Content-Length": str(len(good.body))})


def no_last_chunk(good: Reply) -> Reply:
    """Send the whole body as chunks, without the one that ends it."""
    return Reply(b"%x\r\n%b\r\n" % (len(good.body), good.body), headers=CHUNKED)


def broken_chunk(good: Reply) -> Reply:
    """Break off in the middle of a chunk."""
    return Reply(b"%x\r\n%b" % (len(good.body) + 100, good.body), headers=CHUNKED)


def cut_gzip(good: Reply) -> Reply:
    """Zip the body and leave out the end: its check value and its length."""
    return Reply(gzip.compress(good.body)[:-8], headers=ZIPPED)


def no_gzip(good: Reply) -> Reply:
    """Say that a plain body is zipped."""
    return Reply(good.body, headers=ZIPPED)


def hung_up(_: Reply) -> Reply:
    """Close the connection without an answer."""
    return Reply(is_cut=True)


def busy(_: Reply) -> Reply:
    """Ask to come again in seven seconds."""
    return Reply(b"slow down", 429, {"Retry-After": "7"})


def away(_: Reply) -> Reply:
    """Be down for maintenance."""
    return Reply(b"maintenance", 503)


def broken(_: Reply) -> Reply:
    """Fail inside."""
    return Reply(b"stack trace", 500)


def login_page(_: Reply) -> Reply:
    """Answer well with a page for people."""
    return Reply(PAGE_FOR_PEOPLE, headers={"Content-Type": "text/html"})


def error_object(_: Reply) -> Reply:
    """Answer well with an object that tells of an error."""
    return Reply(json.dumps({"error": "no such day"}).encode())


def refused(_: Reply) -> Reply:
    """Refuse the request for good, and say why."""
    return Reply(b'{"error": "no such day"}', 422)


def dripping(good: Reply) -> Reply:
    """Send byte by byte, each within the limit for silence."""
    return Reply(b" " * 100_000 + good.body, pace=0.05)


def dripping_head(good: Reply) -> Reply:
    """Send the headers byte by byte, each within the limit for silence."""
    return Reply(good.body, head_pace=0.05)


def dripping_refusal(_: Reply) -> Reply:
    """Fail inside and send the words byte by byte."""
    return Reply(b"x" * 100_000, 500, pace=0.05)


def zip_bomb(_: Reply) -> Reply:
    """Send 64 MiB in 64 KiB."""
    return Reply(gzip.compress(b" " * 64 * 1024 * 1024), headers=ZIPPED)


def echoed(status: int) -> Answer:
    """Answer with what the client has sent, as careless error pages do; the secret things first."""

    def answer(request: Request) -> Reply:
        own = ("Authorization", "X-Own")
        said = [request.headers[name] for name in own if name in request.headers]
        raw = request.target.partition("?")[2]
        words = f"You sent: {' '.join(said)} {raw} {request.query} {request.body!r}"
        return Reply(words.encode(), status)

    return answer


@dataclass
class Hostile:
    """Answers by `good`, but for the requests that a fault is ordered for.

    Attributes:
        good: the answers of a service that keeps its word.
        orders: fault by number of the request, counted from 1.
        count: requests so far.
    """

    good: Answer
    orders: Mapping[int, Fault] = field(default_factory=dict)
    count: int = 0

    def answer(self, request: Request) -> Reply:
        """Answer one request."""
        self.count += 1
        fault = self.orders.get(self.count)
        good = self.good(request)
        return good if fault is None else fault(good)


def named(*faults: Any) -> list[str]:
    """Return names of faults, as ids of tests."""
    return [fault.__name__ for fault in faults]
