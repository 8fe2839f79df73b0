"""One request after the other to a service: bounded in time, and silent about what is secret.

Redirects are followed within the same scheme, host and port only, so that neither login nor
headers nor query reach anybody else. All answers must have ended by one deadline, however little
of each keeps coming.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from types import TracebackType
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urljoin, urlsplit

from reporting.core.fetch.answer_body import AnswerBody, said_in
from reporting.core.fetch.endpoint import Endpoint, as_sent, origin, place_of
from reporting.core.fetch.refusal import refusal
from reporting.core.fetch.session import session_until
from reporting.core.fetch.token import Token
from reporting.core.redact import tells_of_a_secret, without
from reporting.errors import ReportError, TerminalError

if TYPE_CHECKING:
    import requests

    from reporting.core.fetch.limits import Limits

MAX_REDIRECTS = 5
OWN = "allowed: the connection's own scheme, host and port. Change the connection."
MIN_SECRET = 6  # a shorter query value, e.g. a page size, says nothing and would hide too much


@dataclass(frozen=True)
class Asked:
    """One request.

    Attributes:
        path: below the service, or the whole URL of a link that the service gave.
        query: parameters.
        method: HTTP method.
        json: body, sent as JSON.
        headers: of this request only.
        expected: statuses of success.
    """

    path: str
    query: Mapping[str, str] = field(default_factory=dict, repr=False)
    method: str = "GET"
    json: Any = field(default=None, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    expected: Collection[int] = (HTTPStatus.OK,)


@dataclass(frozen=True)
class Answer:
    """A successful answer, whose body is still to be read.

    Attributes:
        status: HTTP status of success.
        headers: names in any case.
        body: a stream.
        url: what has answered in the end; links of the answer start from there.
    """

    status: int
    headers: Mapping[str, str]
    body: AnswerBody
    url: str = field(default="", repr=False)


class Client:
    """Asks one service on behalf of one source."""

    def __init__(self, where: str, endpoint: Endpoint, limits: Limits) -> None:
        """Prepare; nothing is sent yet."""
        self.where = where
        self._endpoint = endpoint
        self._limits = limits
        self._session = session_until(limits.deadline)
        self._session.headers.update({"Accept-Encoding": "gzip", **endpoint.headers})
        is_basic = endpoint.login is not None and endpoint.token is None
        self._session.auth = endpoint.login if is_basic else _without_login
        self._token = Token(endpoint, self._session, limits, where)

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._session.close()

    @contextmanager
    def ask(self, asked: Asked) -> Iterator[Answer]:
        """Send a request and hand out the answer while it is read.

        Raises:
            TransientError: no whole answer came, or the service asks to come again.
            TerminalError: the service refuses, or points to another host.
            ReportError: what the reader makes of the answer, without what was sent in it.
        """
        where = f"{self.where}: {asked.method} {_shown(asked.path)}"
        answer = self._send(asked, where)
        if answer.status_code == HTTPStatus.UNAUTHORIZED and self._token.renew():
            answer.close()  # a token that has run out in mid-paging
            answer = self._send(asked, where)
        with answer:
            if answer.status_code not in asked.expected:
                raise self._refusal(answer, asked, where)
            body = AnswerBody(answer, where, self._limits)
            try:
                yield Answer(answer.status_code, answer.headers, body, answer.url)
            except ReportError as error:
                error.args = (self.without_secrets(str(error), asked),)  # it may quote an echo
                raise

    def without_secrets(self, text: str, asked: Asked) -> str:
        """Return what is said of an answer of success without what is secret in the request.

        Less goes than from a refusal: a day that was asked for is a value of rows, too.
        """
        named = [value for name, value in asked.query.items() if tells_of_a_secret(name)]
        found = [*self._sent_always(asked), *named, *_linked(asked)]
        return without(text, as_sent(one for one in found if len(one) >= MIN_SECRET))

    def _send(self, asked: Asked, where: str) -> requests.Response:
        import requests

        is_link = "://" in asked.path  # which may still be one below the service, with a URL in it
        url = self._endpoint.url
        target = self._own(url(""), asked.path if is_link else url(asked.path), where)
        try:
            return self._follow(asked, target, where)
        except (requests.RequestException, OSError) as error:
            raise self._limits.broken(f"{where} at {place_of(target)}", error) from None
        except UnicodeError:
            raise TerminalError(
                f"{where}: login, headers or query hold characters that HTTP cannot carry; "
                "allowed: Latin-1 in the connection. Change the connection."
            ) from None

    def _follow(self, asked: Asked, target: str, where: str) -> requests.Response:
        query: Mapping[str, str] | None = asked.query
        for _ in range(MAX_REDIRECTS):
            answer = self._session.request(
                asked.method,
                target,
                params=query,
                json=asked.json,
                headers={**asked.headers, **self._token.headers()},
                timeout=(self._limits.connect, self._limits.read),
                allow_redirects=False,
                stream=True,
            )
            if not answer.is_redirect:
                return answer
            answer.close()
            target, query = self._own(answer.url, answer.headers["location"], where), None
        raise TerminalError(f"{where} was redirected more than {MAX_REDIRECTS} times.")

    def _own(self, base: str, link: str, where: str) -> str:
        """Return where a link leads, which must be the service itself."""
        try:
            target = urljoin(base, link)
            found, own = origin(target), origin(self._endpoint.base_url)
        except ValueError:
            raise TerminalError(f"{where} was pointed to what is no address; {OWN}") from None
        if found != own:
            raise TerminalError(f"{where} was pointed to {found[0]}://{found[1]}; {OWN}")
        return target

    def _refusal(self, answer: requests.Response, asked: Asked, where: str) -> Exception:
        return refusal(
            where,
            answer.status_code,
            said_in(answer, where, self._limits),
            answer.headers.get("Retry-After", ""),
            self._secrets(asked),
        )

    def _secrets(self, asked: Asked) -> list[str]:
        """Return what must not be repeated from a refusal that echoes the request."""
        queried = [*asked.query.values(), *_linked(asked)]
        values = [value for value in queried if len(value) >= MIN_SECRET]
        return as_sent([*self._sent_always(asked), *values])

    def _sent_always(self, asked: Asked) -> list[str]:
        headers = [*asked.headers.values(), *self._token.headers().values()]
        sent = [word for value in headers for word in value.split()]
        return [*self._endpoint.secrets, *sent]


def _linked(asked: Asked) -> list[str]:
    """Return the query of a link that the service gave, which often is its signature."""
    return [value for _, value in parse_qsl(urlsplit(asked.path).query)]


def _without_login(request: requests.PreparedRequest) -> requests.PreparedRequest:
    """Keep the library from taking a login out of a .netrc, which nobody has declared."""
    return request


def _shown(path: str) -> str:
    """Return a path without host and query, which may be secret."""
    return path.partition("?")[0] if "://" not in path else "(a link of the service)"
