"""A token that is valid for a while, got when it is first needed and anew when it has run out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from reporting.core.fetch.answer_body import MAX_SAID_BYTES, AnswerBody, said_in
from reporting.core.fetch.endpoint import as_sent, place_of
from reporting.core.fetch.refusal import refusal
from reporting.errors import ContractError

if TYPE_CHECKING:
    import requests

    from reporting.core.fetch.endpoint import Endpoint, TokenLogin
    from reporting.core.fetch.limits import Limits


class Token:
    """The token of one client; nothing is asked where the service needs none."""

    def __init__(
        self, endpoint: Endpoint, session: requests.Session, limits: Limits, where: str
    ) -> None:
        """Keep how to get one; nothing is asked yet."""
        self._endpoint = endpoint
        self._session = session
        self._limits = limits
        self._where = where
        self._value: str | None = None

    def headers(self) -> Mapping[str, str]:
        """Return the headers that carry it, getting one if there is none."""
        if self._endpoint.token is None:
            return {}
        if self._value is None:
            self._value = self._get()
        return {"Authorization": f"Bearer {self._value}"}

    def renew(self) -> bool:
        """Forget the token, if there is one; say whether another may be got."""
        had_one, self._value = self._value is not None, None
        return had_one

    def _get(self) -> str:
        import requests

        where = f"{self._where}: getting a token"
        at = f"{where} at {place_of(self._url())}"
        try:
            answer = self._ask()
        except (requests.RequestException, OSError) as error:
            raise self._limits.broken(at, error) from None
        with answer:
            if answer.status_code != HTTPStatus.OK:
                raise self._refusal(answer, where)
            return _token_in(AnswerBody(answer, where, self._short()).read_whole(), where)

    def _ask(self) -> requests.Response:
        token = self._wanted()
        form = {
            "grant_type": "client_credentials",
            **({"scope": token.scope} if token.scope else {}),
        }
        return self._session.post(
            self._url(),
            data=form,
            auth=self._endpoint.login,
            timeout=(self._limits.connect, self._limits.read),
            allow_redirects=False,
            stream=True,
        )

    def _url(self) -> str:
        return urljoin(self._endpoint.url(""), self._wanted().path)

    def _wanted(self) -> TokenLogin:
        assert self._endpoint.token is not None  # noqa: S101 - asked before
        return self._endpoint.token

    def _refusal(self, answer: requests.Response, where: str) -> Exception:
        said = said_in(answer, where, self._limits)
        later = answer.headers.get("Retry-After", "")
        return refusal(where, answer.status_code, said, later, as_sent(self._endpoint.secrets))

    def _short(self) -> Limits:
        return replace(self._limits, max_bytes=MAX_SAID_BYTES)


def _token_in(body: bytes, where: str) -> str:
    try:
        token = json.loads(body)["access_token"]
    except (ValueError, KeyError, TypeError, RecursionError):
        token = None
    if isinstance(token, str) and token.isascii() and token.isprintable():
        return token
    raise ContractError(f"{where}: the answer has no access_token that a header can carry.")
