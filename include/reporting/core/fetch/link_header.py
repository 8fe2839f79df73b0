"""The header `Link` (RFC 8288)."""

from __future__ import annotations


def next_link(text: str) -> str | None:
    """Return the link with `rel="next"`, or None when there is none."""
    from requests.utils import parse_header_links

    links = parse_header_links(text) if text else []
    return next((link["url"] for link in links if "next" in link.get("rel", "").split()), None)
