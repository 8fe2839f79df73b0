"""One GET after the other to a service: bounded in time, and silent about what is secret.

Redirects are followed within the same scheme, host and port only, so that neither login nor
headers nor query reach anybody else. An answer must have ended by the source's `time_limit`,
counted from the first request, however little of it keeps coming.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from http import HTTPStatus
from types import TracebackType
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from reporting.core.redact import without_secrets
from reporting.errors import TerminalError, TransientError

if TYPE_CHECKING:
    import requests

    from reporting.definition.sources import HttpSource

MAX_REASON = 200
MAX_RETRY_AFTER = 3600
MAX_REDIRECTS = 5
MAX_DIGITS = 9
PIECE_BYTES = 1024 * 1024
MIN_SECRET = 6  # a shorter query value, e.g. a page size, says nothing and would hide too much


@dataclass(frozen=True)
class Endpoint:
    """A service: where it is and how to log in.

    Attributes:
        base_url: scheme, host and port.
        login: user and password, or None.
        headers: sent with every request.
    """

    base_url: str
    login: tuple[str, str] | None = field(default=None, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True)
class Answer:
    """A whole answer with status 200."""

    body: bytes
    content_type: str


class Client:
    """Asks one source's path, as often as there are pages."""

    def __init__(self, source: HttpSource, endpoint: Endpoint) -> None:
        """Prepare; nothing is sent yet."""
        import requests

        self._source = source
        self._endpoint = endpoint
        self._where = f"Source {source.name!r}: GET {source.path}"
        self._session = requests.Session()
        self._session.auth = endpoint.login
        self._session.headers.update(endpoint.headers)
        self._deadline = time.monotonic() + source.time_limit.total_seconds()

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._session.close()

    def get(self, query: Mapping[str, str]) -> Answer:
        """Return the answer to a GET.

        Raises:
            TransientError: no whole answer came, or the service asks to come again.
            TerminalError: the service refuses, or points to another host.
        """
        import requests
        from urllib3.exceptions import HTTPError

        base = self._endpoint.base_url.rstrip("/") + "/"
        url = requests.Request("GET", base + self._source.path.lstrip("/"), params=dict(query))
        target = self._session.prepare_request(url).url or base
        try:
            with self._follow(target) as answer:
                body = self._read(answer)
        except (requests.RequestException, HTTPError, OSError) as error:
            # The exception's own text holds the full URL with its query.
            raise TransientError(f"{self._where} failed: {type(error).__name__}.") from None
        self._check_status(answer, body, query)
        return Answer(body, answer.headers.get("Content-Type", "")[:MAX_REASON])

    def _follow(self, url: str) -> requests.Response:
        for _ in range(MAX_REDIRECTS):
            answer = self._session.get(
                url,
                timeout=(self._source.connect_timeout, self._source.read_timeout),
                allow_redirects=False,
                stream=True,
            )
            if not answer.is_redirect:
                return answer
            answer.close()
            target = urljoin(url, answer.headers["location"])
            if _origin(target) != _origin(url):
                raise TerminalError(
                    f"{self._where} was redirected to {'://'.join(map(str, _origin(target)[:2]))}; "
                    "allowed: the connection's own scheme, host and port. Change the connection."
                )
            url = target
        raise TerminalError(f"{self._where} was redirected more than {MAX_REDIRECTS} times.")

    def _read(self, answer: requests.Response) -> bytes:
        """Read the body as it comes; the library compares it with the length announced."""
        body = bytearray()
        while piece := answer.raw.read1(PIECE_BYTES, decode_content=True):
            body += piece
            if time.monotonic() > self._deadline:
                raise TransientError(
                    f"{self._where} had not ended after {self._source.time_limit}."
                )
        return bytes(body)

    def _check_status(
        self, answer: requests.Response, body: bytes, query: Mapping[str, str]
    ) -> None:
        status = answer.status_code
        if status == HTTPStatus.OK:
            return
        words = without_secrets(body.decode(errors="replace"), self._secrets(query))[:MAX_REASON]
        reason = f"{self._where} answered {status}: {words}"
        if status in (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.REQUEST_TIMEOUT) or (
            status >= HTTPStatus.INTERNAL_SERVER_ERROR
        ):
            raise TransientError(reason, _retry_after(answer.headers.get("Retry-After", "")))
        raise TerminalError(reason)

    def _secrets(self, query: Mapping[str, str]) -> list[str]:
        """Return what must not be repeated from an answer that echoes the request."""
        login = self._endpoint.login or ("", "")
        sent = [word for value in self._endpoint.headers.values() for word in value.split()]
        asked = [value for value in query.values() if len(value) >= MIN_SECRET]
        return [login[1], *sent, *asked]


def _origin(url: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(url)
    default = {"http": 80, "https": 443}.get(parts.scheme)
    return parts.scheme, parts.hostname, parts.port or default


def _retry_after(text: str) -> timedelta | None:
    if not (text.isascii() and text.isdigit()):
        return None
    seconds = int(text) if len(text) <= MAX_DIGITS else MAX_RETRY_AFTER
    return timedelta(seconds=min(seconds, MAX_RETRY_AFTER))
