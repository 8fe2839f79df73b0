"""Takes what could be a secret out of a text before a person or a table sees it.

Of a URL the login, the query and the fragment go, and the path of a chat webhook or of a callback,
which is its secret. Of `name=value` and `name: value` the value goes when the name tells of a
secret. It rather takes too much than too little.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

MAX_REASON = 1000
# Searching is quadratic at worst, so a text of any length is cut before it is searched.
MAX_SEARCHED = 3000
_TELLING = r"(?:api[_-]?key|token|secret|passw(?:or)?d|passwd|pwd|signature|credential)"
_RULES = (
    # The greedy match takes a password that holds @ itself.
    (re.compile(r"(?<=://)[^\s/?#]*@"), "…@"),
    (re.compile(r"(?<=://)[^\s/:@?#]*:[^\s@?#]*@(?=[\w.\[-])"), "…@"),
    (re.compile(r"(\w://[^\s?#]*)[?#]\S+"), r"\1?…"),
    (re.compile(r"([\w/.~%-])\?[^\s=]*=\S*"), r"\1?…"),
    (re.compile(r"(/(?:services|callbacks))/\S+"), r"\1/…"),
    (re.compile(r"(?i)(authorization['\"]?\s*[:=]\s*['\"]?)(?:(?:bearer|basic)\s+)?\S+"), r"\1…"),
    (re.compile(r"(?i)\b(bearer\s+)\S+"), r"\1…"),
    (
        # A quote that is never closed was cut, and what is left of it is secret all the same.
        re.compile(
            rf"(?i)({_TELLING}[\w-]*['\"]?\s*[=:]\s*)(?!…)"
            r"(?:'[^']*(?:'|\Z)|\"[^\"]*(?:\"|\Z)|\S+)"
        ),
        r"\1…",
    ),
)


def tells_of_a_secret(name: str) -> bool:
    """Say whether what has this name is secret."""
    return re.search(_TELLING, name, re.IGNORECASE) is not None


def without_secrets(text: str, known: Iterable[str] = ()) -> str:
    """Return `text` without secrets, at most 1,000 characters of it, which every table can hold.

    Args:
        text: e.g. the words of an error.
        known: values that are secret wherever they stand; an empty one hides nothing.
    """
    text = _searchable(without(text, known))
    for pattern, replacement in _RULES:
        text = pattern.sub(replacement, text)
    # JSON may hold NUL and half a character, which neither log nor database takes.
    return text.encode(errors="replace").decode().replace("\0", "�")[:MAX_REASON]


def without(text: str, known: Iterable[str]) -> str:
    """Return `text` without known secrets, wherever they stand; an empty one hides nothing."""
    for secret in sorted(filter(None, known), key=len, reverse=True):
        text = text.replace(secret, "…")
    return text


def _searchable(text: str) -> str:
    """Return the beginning of a long text, cut so that every secret in it still shows as one.

    A login is known by the @ behind it and a query by the = in it, which the cut may have taken:
    of the broken word only what stands before them is kept.
    """
    if len(text) <= MAX_SEARCHED:
        return text
    *whole, broken = re.split(r"(\s+)", text[:MAX_SEARCHED])
    return "".join(whole) + re.split(r"://|\?", broken, maxsplit=1)[0]
