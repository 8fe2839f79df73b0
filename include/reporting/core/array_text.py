r"""Lists as PostgreSQL writes them: `{1,NULL,"a \"b\""}`, of one dimension only."""

from __future__ import annotations

import re
from collections.abc import Sequence

_ELEMENT = re.compile(
    r'"(?P<quoted>(?:[^"\\]|\\.)*)"|(?P<plain>[^{}",\\\s][^{}",\\]*)',
    re.DOTALL | re.ASCII,  # the server knows no other blanks
)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_SPECIAL = re.compile(r'["\\]')
NULL = "NULL"


def read_list(text: str) -> list[str | None]:
    """Return the elements as texts.

    Raises:
        ValueError: the text is no list of one dimension that counts from 1.
    """
    if text == "{}":
        return []
    if not (text.startswith("{") and text.endswith("}")):
        raise ValueError(f"{text[:40]!r} is no list, or counts from another number than 1")
    elements: list[str | None] = []
    place, end = 1, len(text) - 1
    while found := _ELEMENT.match(text, place, end):
        elements.append(_element(found))
        place = found.end() + 1
        if found.end() == end:
            return elements
        if text[found.end()] != ",":
            break
    raise ValueError(f"{text[:40]!r} has more than one dimension, or is no list")


def _element(found: re.Match[str]) -> str | None:
    if (quoted := found["quoted"]) is not None:
        return _ESCAPED.sub(r"\1", quoted)
    return None if found["plain"] == NULL else found["plain"]


def list_text(elements: Sequence[str | None]) -> str:
    """Write elements as a list that PostgreSQL reads back as the same."""
    return "{" + ",".join(map(_written, elements)) + "}"


def _written(element: str | None) -> str:
    return NULL if element is None else '"' + _SPECIAL.sub(r"\\\g<0>", element) + '"'
