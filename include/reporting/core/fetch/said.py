"""What a service says with an answer that is no success: its own words, never its rows."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

FIELDS = ("error", "errors", "error_description", "message", "detail", "title", "msg")
LONGEST_WORDS = 200  # characters of a text, or of a field, that are taken for words
MOST_TOLD = 3  # of a list of errors
TABLES = ("csv", "ndjson", "jsonl", "tab-separated")


@dataclass(frozen=True)
class Said:
    """The body of such an answer.

    Attributes:
        body: its beginning.
        kind: its content type, as the service tells it; empty for none.
        is_whole: whether that is all of it.
    """

    body: bytes
    kind: str = ""
    is_whole: bool = True

    @property
    def text(self) -> str:
        """The body as text."""
        return self.body.decode(errors="replace").strip()

    @property
    def words(self) -> str | None:
        """The service's own message; None when the body may be anything else, such as rows."""
        if self.text.startswith(("{", "[")):
            return _of_object(self.text)
        is_table = any(word in self.kind.lower() for word in TABLES)
        is_words = len(self.text.splitlines()) == 1 and not self.text.startswith("<")
        is_short = len(self.text) <= LONGEST_WORDS
        return self.text if is_words and is_short and not is_table else None

    @property
    def measure(self) -> str:
        """Content type and size, in words."""
        more = "" if self.is_whole else " or more"
        kind = self.kind[:LONGEST_WORDS] or "no content type"
        return f"{kind}, {len(self.body):,} bytes{more}"


def _of_object(text: str) -> str | None:
    """Return what the fields of an error object say; None when it is none."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict):
        return None
    said = {name: _message(found[name]) for name in FIELDS if found.get(name)}
    return "; ".join(f"{name}: {words}" for name, words in said.items() if words) or None


def _message(value: Any) -> str:
    """Return a message, which may stand in an object or in a list of such; empty for others."""
    if isinstance(value, str | int | float):
        text = " ".join(str(value).split())
        return text if len(text) <= LONGEST_WORDS else f"{text[:LONGEST_WORDS]}…"
    if isinstance(value, list):
        return ", ".join(filter(None, map(_message, value[:MOST_TOLD])))
    if isinstance(value, Mapping):
        return next(filter(None, (_message(value[name]) for name in FIELDS if name in value)), "")
    return ""
