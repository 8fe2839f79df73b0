"""The messages between reports and services: JSON, versioned, the same for any language.

A request asks for rows. It is answered, on the queue its property `reply_to` names, by parts
numbered from 1, the last of which says so, and by signs of life in between. Numbers have all
their digits; text is UTF-8. `docs/reference/messages.md` has examples.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any

from reporting.definition.names import is_storable
from reporting.exact_json import json_text

VERSION = 1
CONTENT_TYPE = "application/json"
MAX_BYTES = 16 * 1024 * 1024  # of one message; larger parts go by reference
MAX_PARTS = 1_000_000


class MessageError(ValueError):
    """A message is not what this module describes; its text says why."""


@dataclass(frozen=True)
class Request:
    """What a report asks.

    Attributes:
        key: names the request; equal keys are the same request, sent again.
        report: name of the report.
        source: name of the source.
        run: the report's run, to find it in logs.
        asked: what the report's author has written as `request`.
        columns: `{name: type}` of the rows that are wanted.
    """

    key: str
    report: str
    source: str
    run: str
    asked: Mapping[str, Any]
    columns: Mapping[str, str]


@dataclass(frozen=True)
class Reference:
    """Rows that lie in the store that both sides reach, one JSON object per line.

    Attributes:
        bucket: bucket of the object.
        key: its key.
        bytes: its size.
        sha256: hex digest of its bytes.
    """

    bucket: str
    key: str
    bytes: int
    sha256: str


@dataclass(frozen=True)
class Reply:
    """One message of an answer.

    Attributes:
        key: of the request it answers.
        part: number of the part, from 1; 0 for a sign of life or a refusal.
        is_last: whether no part has a higher number.
        rows: the part's rows.
        reference: where they lie instead.
        progress: changes while the service works; of a sign of life.
        failed: why there will be no answer.
    """

    key: str
    part: int = 0
    is_last: bool = False
    rows: Sequence[Mapping[str, Any]] = field(default_factory=tuple)
    reference: Reference | None = None
    progress: str = ""
    failed: str = ""

    @property
    def is_sign_of_life(self) -> bool:
        """Whether it says nothing but that the service works."""
        return not (self.part or self.failed or self.is_last or self.rows or self.reference)


def request_bytes(request: Request) -> bytes:
    """Write a request."""
    return json_text({"version": VERSION, **vars(request)}).encode()


def request_from(body: bytes) -> Request:
    """Read a request.

    Raises:
        MessageError: it is none.
    """
    fields = _read(body)
    names = ("key", "report", "source", "run")
    texts = {name: _typed(fields, name, str) for name in names}
    return Request(
        **texts, asked=_typed(fields, "asked", dict), columns=_typed(fields, "columns", dict)
    )


def reply_bytes(reply: Reply) -> bytes:
    """Write one message of an answer."""
    reference = None if reply.reference is None else vars(reply.reference)
    return json_text({"version": VERSION, **vars(reply), "reference": reference}).encode()


def reply_from(body: bytes) -> Reply:
    """Read one message of an answer.

    Raises:
        MessageError: it is none.
    """
    fields = {**_DEFAULTS, **_read(body)}
    part = _typed(fields, "part", int)
    rows = _typed(fields, "rows", list)
    if not 0 <= part <= MAX_PARTS or not all(isinstance(row, dict) for row in rows):
        told = f"{part}"[:40]
        raise MessageError(f"part={told}; allowed: 0 to {MAX_PARTS}, with rows that are objects")
    reference = fields["reference"]
    if reference is not None:
        reference = _reference(reference)
    if reference is not None and rows:
        raise MessageError("it has rows and a reference; allowed: one of them")
    return Reply(
        key=_typed(fields, "key", str),
        part=part,
        is_last=_typed(fields, "is_last", bool),
        rows=rows,
        reference=reference,
        progress=_typed(fields, "progress", str),
        failed=_typed(fields, "failed", str),
    )


def _reference(said: Any) -> Reference:
    if not isinstance(said, dict) or set(said) != set(_REFERENCE):
        raise MessageError("reference has other fields than bucket, key, bytes, sha256")
    return Reference(**{name: _typed(said, name, kind) for name, kind in _REFERENCE.items()})


_REFERENCE: Mapping[str, type] = {"bucket": str, "key": str, "bytes": int, "sha256": str}
_DEFAULTS: Mapping[str, Any] = {
    "part": 0,
    "is_last": False,
    "rows": [],
    "reference": None,
    "progress": "",
    "failed": "",
}


def _read(body: bytes) -> dict[str, Any]:
    if len(body) > MAX_BYTES:
        raise MessageError(f"{len(body)} bytes; allowed: up to {MAX_BYTES}")
    try:
        fields = json.loads(body, parse_float=Decimal)
    except (ValueError, RecursionError, InvalidOperation):  # the last: an exponent of 20 digits
        raise MessageError("no JSON") from None
    if not isinstance(fields, dict) or fields.get("version") != VERSION:
        raise MessageError(f"no JSON object of version {VERSION}")
    return fields


def _typed(fields: Mapping[str, Any], name: str, kind: type) -> Any:
    value = fields.get(name)
    if type(value) is not kind:
        raise MessageError(f"{name} is {str(value)[:40]!r}; allowed: a JSON {_JSON[kind]}")
    if isinstance(value, str) and not is_storable(value):
        raise MessageError(f"{name} is {value[:40]!r}; allowed: no NUL, nor half a character")
    return value


_JSON = {str: "text", int: "whole number", bool: "truth value", list: "list", dict: "object"}
