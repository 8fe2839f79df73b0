"""The header `Link` (RFC 8288)."""

from __future__ import annotations

import re

# The library's own reader loses a `rel` behind a value with = in it, and cuts an address at a ;.
_PARAM = r"""\s*;\s*([^\s=;,"]+)(?:\s*=\s*("(?:[^"\\]|\\.)*"|[^\s;,"]*))?"""
_LINK = re.compile(rf"<([^<>]*)>((?:{_PARAM})*)")
_PARAMS = re.compile(_PARAM)


def next_link(text: str) -> str | None:
    """Return the link with `rel="next"`, in any case, or None when there is none."""
    return next((link[1].strip() for link in _LINK.finditer(text) if "next" in _rel(link[2])), None)


def _rel(params: str) -> list[str]:
    """Return the first `rel`; a repeated one does not count."""
    found = (value for name, value in _PARAMS.findall(params) if name.lower() == "rel")
    return next(found, "").strip("\"'").lower().split()
