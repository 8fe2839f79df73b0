"""What is known of a dead message: what was told with it, or what the broker and it say.

The message, and its headers with it, may hold anything: nothing in here may fail on them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from reporting.core.redact import without_secrets
from reporting.core.service.broker import reply_queue
from reporting.messages import MessageError, request_from
from reporting.queues import DEAD, LOOKS, TRIES

TRIED = "tries"  # header of a message that is sent again: how often it had failed before
LONGEST = 250  # characters of a name
MOST_TRIES = 1000  # nobody tries more often; they are added up in a table
FIRST_YEAR = 2000  # what has died before was dated by a clock that is not set
WHY = {
    "delivery_limit": "whoever takes it from its queue failed on it each time",
    "rejected": "rejected by whoever takes from its queue",
    "expired": "nobody took it in time",
    "maxlen": "its queue was full",
}
_REPLIES = reply_queue("")


@dataclass(frozen=True)
class DeadFacts:
    """What is known.

    Attributes:
        queue: where it was for.
        reason: why it could not be used.
        source: source it was for, if that is known.
        report: report of the source.
        run_id: run that waited for it.
        tries: how often it has failed since it was sent last.
        at: when it died; None when nobody has told.
        death: names this death, to know it when it is told twice; empty when it has no name.
        key: of the request it is about, empty when that is not known.
        event: upstream event that it was to tell; None if it was for a source.
    """

    queue: str
    reason: str
    source: str | None
    report: str | None
    run_id: str | None
    tries: int
    at: datetime | None
    death: str
    key: str
    event: str | None


def dead_facts(headers: Mapping[str, Any], reply_to: str | None, body: bytes) -> DeadFacts:
    """Return what is known of a message."""
    death, own = _death(headers), _own(body)
    why = str(death.get("reason", "not told"))
    queue = _text(headers.get("queue") or death.get("queue")) or DEAD
    at = _moment(headers.get("dead_at")) or _moment(death.get("time"))
    return DeadFacts(
        queue=queue,
        reason=_clean(str(headers.get("reason") or WHY.get(why, f"the broker says: {why}"))),
        source=_text(headers.get("source") or own.get("source")),
        report=_text(headers.get("report") or own.get("report")),
        run_id=_text(headers.get("run_id") or own.get("run_id")),
        tries=_told_tries(headers) or _tries(why, queue),
        at=at,
        death=_clean(f"{at.isoformat()} {headers.get(TRIED, 0)}")[:LONGEST] if at else "",
        key=own.get("key") or key_of(queue) or key_of(reply_to or ""),
        event=_text(headers.get("event")),
    )


def key_of(queue: str) -> str:
    """Return the key of the request that is answered on a queue; empty for other queues."""
    return queue.removeprefix(_REPLIES) if queue.startswith(_REPLIES) else ""


def _death(headers: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what the broker says of the last time it gave the message up."""
    deaths = headers.get("x-death")
    last = deaths[0] if isinstance(deaths, list) and deaths else None
    return last if isinstance(last, dict) else {}


def _told_tries(headers: Mapping[str, Any]) -> int:
    told = headers.get("deliveries")
    return told if isinstance(told, int) and 0 < told <= MOST_TRIES else 0


def _tries(why: str, queue: str) -> int:
    """Return how often a message was given out: the broker does not tell with the dead."""
    if why != "delivery_limit":
        return 1
    return 1 + (LOOKS if key_of(queue) else TRIES)


def _own(body: bytes) -> dict[str, str]:
    try:
        request = request_from(body)
    except MessageError:
        return {}
    names = {"source": request.source, "report": request.report, "run_id": request.run}
    return {**names, "key": request.key}


def _text(value: Any) -> str | None:
    return _clean(str(value))[:LONGEST] if value else None


def _clean(text: str) -> str:
    """Return what a table, the subject of a mail and a terminal can take; no secret."""
    return "".join(c if c.isprintable() else " " for c in without_secrets(text))


def _moment(value: Any) -> datetime | None:
    try:
        found = value if isinstance(value, datetime) else datetime.fromisoformat(str(value))
    except ValueError:
        return None
    return found if found.tzinfo and found.year >= FIRST_YEAR else None
