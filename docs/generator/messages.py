"""The page of the messages between reports and services."""

from __future__ import annotations

import inspect
import json
from decimal import Decimal

from docs.generator.docstrings import attributes, summary
from docs.generator.markdown import code, page, table

from reporting import messages, queues, service
from reporting.announcements import LONGEST_ID, MAX_BYTES, Announcement, announcement_bytes
from reporting.messages import Reference, Reply, Request, reply_bytes, request_bytes

KEY = "7d9f6c0f6f1c4a1f8f0e2c3b4a5d6e7f"
REQUEST = Request(
    KEY,
    "airline_on_time",
    "planes",
    "manual__2013-07-05T06:00:00+00:00",
    {"day": "2013-07-04"},
    {"tailnum": "text not null", "seats": "int64"},
)
REPLIES = {
    "A part, not the last": Reply(KEY, 1, rows=[{"tailnum": "N10156", "seats": 55}]),
    "The last part": Reply(
        KEY, 2, is_last=True, rows=[{"tailnum": "N102UW", "load": Decimal("0.80")}]
    ),
    "A part whose rows lie in the store, one JSON object per line": Reply(
        KEY, 1, reference=Reference("landing", "replies/1.ndjson", 1048576, "9f86d081…")
    ),
    "A sign of life": Reply(KEY, progress="310 of 1200"),
    "A refusal": Reply(KEY, failed="there was no such day"),
}
EVENT = Announcement("flights_loaded", "load 4712", "2013-07-04", {"carrier": "UA"})


def message_page() -> str:
    """Return the page."""
    return page(
        "Messages",
        "This page describes the messages by which a `MessageSource` and a service speak, and the "
        "one that starts a report.",
        (inspect.getdoc(messages) or "").partition("\n\n")[2].partition(" `docs/")[0],
        "## Request",
        f"It comes on the queue that the source names. Its properties: `message_id` is the key, "
        f"`reply_to` the queue to answer on, `content_type` {code(messages.CONTENT_TYPE)}.",
        _fields(Request),
        _example(request_bytes(REQUEST)),
        "## Reply",
        "It is published to the default exchange with the reply queue as routing key, persistent "
        "and mandatory: when the queue is gone, nobody waits any more. A part that is sent twice "
        "must be the same each time. Fields that have their default may be left out.",
        _fields(Reply),
        *(f"{title}:\n\n{_example(reply_bytes(reply))}" for title, reply in REPLIES.items()),
        "## Event",
        "This is how another system tells of an `UpstreamEvent`, on the queue that it names.",
        _fields(Announcement),
        _example(announcement_bytes(EVENT)),
        f"An id has up to {LONGEST_ID} characters, a message up to {MAX_BYTES // 1024} KiB. What "
        "is no event is a dead letter, and the next message is taken.",
        "## Dead letters",
        f"A message that makes no sense goes to the queue {code(queues.DEAD)} with a header "
        f"`reason`. So does a request that a service has failed on {queues.TRIES + 1} times.",
        "## In Python",
        (inspect.getdoc(service) or "").partition("\n\n")[2].replace("    from", "    from"),
    )


def _fields(kind: type) -> str:
    return f"{summary(kind)}\n\n" + table(
        ["field", "meaning"], [[code(name), text] for name, text in attributes(kind).items()]
    )


def _example(body: bytes) -> str:
    return f"```json\n{json.dumps(json.loads(body), indent=1, ensure_ascii=False)}\n```"
