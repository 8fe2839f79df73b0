"""Takes what could be a secret out of a text before a person or a table sees it."""

from __future__ import annotations

import re

_USER_INFO = re.compile(r"(?<=://)[^/\s@]*@")
_QUERY = re.compile(r"(?<=[\w/])\?[^\s'\"<>)]+=[^\s'\"<>)]*")
MAX_REASON = 1000


def without_secrets(text: str) -> str:
    """Return `text` without the login and the query part of any URL, at most 1,000 characters."""
    return _QUERY.sub("?…", _USER_INFO.sub("…@", text))[:MAX_REASON]
