"""How another system says on a queue that something happened: JSON, versioned, for any language.

An announcement names the event and has an id of its own. Sent again with the same id, it is the
same event and starts nothing more. `docs/reference/messages.md` has an example.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, NoReturn

from reporting.definition.names import is_storable
from reporting.messages import VERSION, MessageError

MAX_BYTES = 64 * 1024
LONGEST_ID = 200
DEEPEST = 50  # Airflow's own limit is near 250, and fails all that comes with the event
SMALLEST, LARGEST = -(2**63), 2**63 - 1  # what Airflow's processes can tell each other
FIELDS = ("version", "event", "id", "period", "params")


@dataclass(frozen=True)
class Announcement:
    """Something happened upstream.

    Attributes:
        event: name of the event, as the report's `UpstreamEvent` has it.
        id: names this one event, whichever way and however often it is told.
        period: key of the period to report on; null or left out for the last complete one.
        params: params of the run; those left out have their default.
    """

    event: str
    id: str
    period: str | None = None
    params: Mapping[str, Any] = field(default_factory=dict)

    @property
    def told(self) -> dict[str, Any]:
        """What is said with the event, as it can be sent over REST too."""
        return {"id": self.id, "period": self.period, "params": dict(self.params)}


def announcement_bytes(announcement: Announcement) -> bytes:
    """Write an announcement."""
    fields = {"version": VERSION, "event": announcement.event, **announcement.told}
    return json.dumps(fields, ensure_ascii=False).encode()


def announcement_from(body: bytes, event: str) -> Announcement:
    """Read an announcement of an event.

    Raises:
        MessageError: it is none, or of another event.
    """
    fields = _fields_of(body)
    if unknown := sorted(set(fields) - set(FIELDS)):
        raise MessageError(f"field {unknown[0][:40]!r} is unknown; allowed: {', '.join(FIELDS)}")
    if fields.get("event") != event:
        raise MessageError(f"event is {_short(fields.get('event'))}; this queue is for {event!r}")
    name, period, params = (fields.get(key) for key in ("id", "period", "params"))
    if not isinstance(name, str) or not 0 < len(name) <= LONGEST_ID:
        raise MessageError(f"id is {_short(name)}; allowed: a text of 1 to {LONGEST_ID} characters")
    if not isinstance(period, str | None):
        raise MessageError(f"period is {_short(period)}; allowed: a JSON text, or null")
    if not isinstance(params, dict | None):
        raise MessageError(f"params is {_short(params)}; allowed: a JSON object")
    if not _is_flat(params, DEEPEST):
        raise MessageError(f"params is nested deeper than {DEEPEST} levels")
    return Announcement(event, name, period, params or {})


def _fields_of(body: bytes) -> dict[str, Any]:
    """Read JSON that Airflow can hold: it has neither NaN nor NUL nor half a character."""
    if len(body) > MAX_BYTES:
        raise MessageError(f"{len(body)} bytes; allowed: up to {MAX_BYTES}")
    try:
        fields = json.loads(
            body, parse_constant=_no_number, parse_int=_whole, parse_float=_fraction
        )
        text = json.dumps(fields, ensure_ascii=False)
    except MessageError:
        raise
    except (ValueError, RecursionError):
        raise MessageError("no JSON") from None
    if "\\u0000" in text or not is_storable(text):
        raise MessageError("it holds NUL, or half a character of two")
    if not isinstance(fields, dict) or fields.get("version") != VERSION:
        raise MessageError(f"no JSON object of version {VERSION}")
    return fields


def _is_flat(value: object, levels: int) -> bool:
    if not isinstance(value, dict | list):
        return True
    inner = value.values() if isinstance(value, dict) else value
    return levels > 0 and all(_is_flat(one, levels - 1) for one in inner)


def _whole(text: str) -> int:
    number = int(text)
    if not SMALLEST <= number <= LARGEST:
        raise MessageError(f"{text[:40]} is beyond the whole numbers of 64 bits")
    return number


def _fraction(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise MessageError(f"{text[:40]} is beyond all numbers")
    return number


def _no_number(text: str) -> NoReturn:
    raise ValueError(text)


def _short(value: object) -> str:
    return repr(value)[:40]
