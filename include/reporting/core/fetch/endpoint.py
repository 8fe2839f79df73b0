"""A service: where it is and how to log in."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from urllib.parse import quote, quote_plus, urlsplit

DEFAULT_PORTS = {"http": 80, "https": 443}
Origin = tuple[str, str | None, int | None]


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
        both = b64encode(":".join(self.login).encode()).decode()
        return [*words, self.login[1], both]


def as_sent(secrets: Iterable[str]) -> list[str]:
    """Return secrets in every form that they may be sent in, and so be echoed in."""
    return [form for one in secrets for form in (one, quote(one, safe=""), quote_plus(one))]


def origin(url: str) -> Origin:
    """Return scheme, host and port: what a login may be sent to."""
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port or DEFAULT_PORTS.get(parts.scheme)
