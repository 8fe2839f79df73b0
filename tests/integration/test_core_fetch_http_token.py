"""A token that runs out in mid-paging is got anew; one that is not to be had ends nothing half."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import timedelta

import pytest

from reporting.core.fetch.endpoint import Endpoint, TokenLogin
from reporting.core.staging import Staging
from reporting.errors import ContractError, ReportError, TerminalError, TransientError
from tests.integration.hostile_http import busy, dripping, echoed, hung_up, zip_bomb
from tests.integration.http_fetching import SECRET, fetch, nothing_is_left, rows
from tests.integration.scripted_service import Reply, Request, page, serving

pytestmark = pytest.mark.integration

LOGIN = ("client", SECRET)
NONE = Reply(b"token expired", 401)


class Guarded:
    """A service of three pages, each of whose tokens is good for so many of them.

    Attributes:
        given: how many tokens were given.
        replies: what is answered in place of a token, by its number.
    """

    def __init__(self, good_for: int, replies: Mapping[int, Reply] | None = None) -> None:
        self._good_for, self._left = good_for, 0
        self.given = 0
        self.replies = replies or {}

    def answer(self, request: Request) -> Reply:
        if request.path == "/token":
            return self._token(request)
        is_known = request.headers.get("Authorization") == f"Bearer {SECRET}-{self.given}"
        if not is_known or self._left == 0:
            return NONE
        self._left -= 1
        number = int(request.query.get("cursor", "0"))
        return page(*rows(number, 1), cursor=number + 1 if number < 2 else None)

    def _token(self, request: Request) -> Reply:
        assert request.body == b"grant_type=client_credentials&scope=orders"
        assert request.headers["Authorization"].startswith("Basic ")
        self.given += 1
        self._left = self._good_for
        token = json.dumps({"access_token": f"{SECRET}-{self.given}", "expires_in": 1})
        return self.replies.get(self.given, Reply(token.encode()))


def at(url: str) -> Endpoint:
    return Endpoint(url, LOGIN, {}, TokenLogin("/token", "orders"))


@pytest.mark.parametrize(("good_for", "given"), [(9, 1), (2, 2), (1, 3)])
def test_a_token_that_runs_out_in_mid_paging_is_got_anew(
    staging: Staging, good_for: int, given: int
) -> None:
    guarded = Guarded(good_for)
    with serving(guarded.answer) as service:
        assert fetch(staging, at(service.url))["id"].to_pylist() == [0, 1, 2]

    assert guarded.given == given


def failure(staging: Staging, guarded: Guarded, kind: type[ReportError]) -> str:
    with serving(guarded.answer) as service, pytest.raises(kind) as fault:
        fetch(staging, at(service.url), read_timeout=5, time_limit=timedelta(seconds=1))
    assert nothing_is_left(staging)
    told = f"{fault.value!r} {fault.value.__cause__!r}"
    assert SECRET not in told
    return str(fault.value)


def test_a_token_that_is_never_good_is_got_anew_once(staging: Staging) -> None:
    guarded = Guarded(0)

    told = failure(staging, guarded, TerminalError)

    assert told == "Source 'orders': GET /v1/orders answered 401: token expired"
    assert guarded.given == 2


@pytest.mark.parametrize("number", [1, 2], ids=["first", "in mid-paging"])
@pytest.mark.parametrize(
    ("reply", "kind", "words"),
    [
        (Reply(b'{"error": "invalid_client"}', 401), TerminalError, "invalid_client"),
        (busy(Reply()), TransientError, "answered 429: slow down"),
        (hung_up(Reply()), TransientError, " failed: the service hung up."),
        (Reply(b"<html>", headers={"Content-Type": "text/html"}), ContractError, "no access_token"),
        (Reply(b"[]"), ContractError, "no access_token"),
        (Reply(status=302, headers={"Location": "/login"}), TerminalError, "answered 302"),
        (dripping(Reply(b"{}")), TransientError, "had not ended after 0:00:01"),
        (zip_bomb(Reply()), ContractError, "answered more than"),
    ],
    ids=["refused", "busy", "hung up", "page", "list", "redirect", "dripping", "zip bomb"],
)
def test_a_token_that_is_not_given_leaves_nothing_half(
    staging: Staging, number: int, reply: Reply, kind: type[ReportError], words: str
) -> None:
    told = failure(staging, Guarded(1, {number: reply}), kind)

    assert told.startswith("Source 'orders': getting a token")
    assert words in told


@pytest.mark.parametrize("status", [400, 500])
def test_f8_no_secret_is_repeated_that_the_giver_of_tokens_echoes(
    staging: Staging, status: int
) -> None:
    with serving(echoed(status)) as service, pytest.raises(ReportError) as fault:
        fetch(staging, at(service.url))

    told = str(fault.value)
    assert "You sent: Basic …" in told
    for form in (SECRET, service.requests[0].headers["Authorization"].removeprefix("Basic ")):
        assert form not in told
