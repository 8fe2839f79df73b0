"""A service: where it is and how to log in."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from html import escape
from urllib.parse import quote, quote_plus

DEFAULT_PORTS = {"http": 80, "https": 443}
Origin = tuple[str, str | None, int | None]
_HEX = re.compile("%[0-9A-F]{2}")


@dataclass(frozen=True)
class TokenLogin:
    """How to get a token that is valid for a while only (OAuth 2, client credentials).

    Attributes:
        path: where it is given, below the service or a whole URL.
        scope: what is asked for; empty for what the service gives.
    """

    path: str
    scope: str = ""


@dataclass(frozen=True)
class Endpoint:
    """A service.

    Attributes:
        base_url: scheme, host and port.
        login: user and password, or None; with `token`, the client's id and secret.
        headers: sent with every request.
        token: the login gives a token, which is sent instead of it.
    """

    base_url: str
    login: tuple[str, str] | None = field(default=None, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    token: TokenLogin | None = None

    def url(self, path: str) -> str:
        """Return the address of a path."""
        return f"{self.base_url.rstrip('/')}/{path.lstrip('/')}"

    @property
    def secrets(self) -> list[str]:
        """What must not be repeated from an answer that echoes the request, as it was sent."""
        words = [word for value in self.headers.values() for word in value.split()]
        if self.login is None:
            return words
        both = ":".join(self.login)
        # The library sends Latin-1 where it can; without padding it is found with it, too.
        raw = {both.encode(), both.encode("latin-1", "replace")}
        return [*words, self.login[1], *(b64encode(one).decode().rstrip("=") for one in raw)]


def as_sent(secrets: Iterable[str]) -> list[str]:
    """Return secrets in every form that they may be sent in, or be echoed in."""
    return [form for one in secrets for form in _forms(one)]


def _forms(secret: str) -> set[str]:
    quoted = {quote(secret, safe=""), quote_plus(secret)}
    in_json = {json.dumps(secret, ensure_ascii=choice)[1:-1] for choice in (True, False)}
    return {
        secret,
        *quoted,
        *(_HEX.sub(lambda found: found[0].lower(), one) for one in quoted),
        *in_json,
        *(one.replace("/", r"\/") for one in in_json),
        escape(secret),
    }


def origin(url: str) -> Origin:
    """Return scheme, host and port: what a login may be sent to.

    Raises:
        ValueError: it is no address.
    """
    # As the library reads it that connects: others see another host where there is a backslash.
    from urllib3.util import parse_url

    parts = parse_url(url.lstrip())
    scheme = parts.scheme or ""
    return scheme, parts.host, parts.port or DEFAULT_PORTS.get(scheme)


def place_of(url: str) -> str:
    """Return host and port of an address, and nothing else of it."""
    try:
        _, host, port = origin(url)
    except ValueError:
        return "a host that cannot be read"
    return f"{host}:{port}"
