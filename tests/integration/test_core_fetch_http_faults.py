"""What services do to a reader: cut answers, silence, redirects, echoes of secrets."""

from __future__ import annotations

import gzip
import json
import socket
import time
from base64 import b64encode
from collections.abc import Callable
from contextlib import closing
from html import escape
from threading import Event
from typing import Any
from urllib.parse import quote, quote_plus

import pytest

from reporting.core.fetch.endpoint import Endpoint
from reporting.core.staging import Staging
from reporting.definition.pages import LinkPages
from reporting.errors import ReportError, TerminalError, TransientError
from tests.integration.hostile_http import echoed
from tests.integration.http_fetching import SECRET, by_cursor, fetch, rows
from tests.integration.scripted_service import Reply, Request, page, serving

pytestmark = pytest.mark.integration


def test_a_chunked_and_a_zipped_body_are_read_whole(staging: Staging) -> None:
    big = page(*rows(0, 50_000), cursor="z").body
    half = len(big) // 2
    chunks = (
        b"".join(b"%x\r\n%b\r\n" % (len(p), p) for p in (big[:half], big[half:])) + b"0\r\n\r\n"
    )
    zipped = gzip.compress(page(*rows(50_000, 50_000)).body)
    answers = by_cursor({
        None: Reply(chunks, headers={"Transfer-Encoding": "chunked"}),
        "z": Reply(zipped, headers={"Content-Encoding": "gzip"}),
    })  # fmt: skip
    with serving(answers) as service:
        table = fetch(staging, service.url)

    assert table["id"].to_pylist() == list(range(100_000))


def test_f84_a_server_that_takes_no_connection_is_left_in_time(staging: Staging) -> None:
    """Its backlog is full, so that nobody answers the first packet of a connection."""
    with closing(socket.create_server(("127.0.0.1", 0), backlog=0)) as listener:
        address = listener.getsockname()
        waiting = [socket.socket() for _ in range(4)]
        for one in waiting:
            one.setblocking(False)
            one.connect_ex(address)
        began = time.monotonic()
        with pytest.raises(
            TransientError, match=r"GET /v1/orders at 127.0.0.1:\d+ failed: no connection in time"
        ):
            fetch(staging, f"http://127.0.0.1:{address[1]}", connect_timeout=0.3, read_timeout=30)
        assert time.monotonic() - began < 10
        for one in waiting:
            one.close()


def test_f84_a_server_that_never_answers_is_left_in_time(staging: Staging) -> None:
    hold = Event()
    with serving(lambda _: Reply(b"x", hold=hold)) as service:
        with pytest.raises(TransientError, match=r"GET /v1/orders at .* failed: timed out"):
            fetch(staging, service.url, read_timeout=0.3)
        hold.set()


def test_a_service_that_is_down_is_asked_again(staging: Staging) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as listener:
        port = listener.getsockname()[1]

    with pytest.raises(TransientError, match=f" at 127.0.0.1:{port} failed: connection refused"):
        fetch(staging, f"http://127.0.0.1:{port}")


def cut(_: Request) -> Reply:
    return Reply(b"x", headers={"Content-Length": "9"})


@pytest.mark.parametrize("answer", [echoed(500), echoed(403), cut], ids=["500", "403", "cut"])
@pytest.mark.parametrize("secret", [SECRET, "p@ss w/rd%40+"])
def test_f8_no_secret_is_in_any_message(
    staging: Staging, answer: Callable[[Request], Reply], secret: str
) -> None:
    """Nor in a form that it was sent in: percent-encoded, or in the header of a login."""
    with serving(answer) as service, pytest.raises(ReportError) as fault:
        fetch(
            staging,
            Endpoint(service.url, ("user", f"{secret}1"), {"X-Own": f"Token {secret}2"}),
            query={"user": f"{secret}3", "api_key": f"{secret}4", "limit": "100"},
        )

    sent = service.requests[0]
    assert sent.query["user"] == f"{secret}3"
    assert sent.headers["X-Own"].endswith(f"{secret}2")
    told = f"{fault.value!r} {fault.value.__cause__!r}"
    login = sent.headers["Authorization"].removeprefix("Basic ")
    for form in (secret, quote(secret, safe=""), quote_plus(secret), login):
        assert form not in told
    assert fault.value.__suppress_context__ or fault.value.__context__ is None


ODD = 'pä"ss&/wörd'


@pytest.mark.parametrize(
    "form",
    [
        json.dumps(ODD),
        json.dumps(ODD, ensure_ascii=False).replace("/", r"\/"),
        escape(ODD),
        quote(ODD, safe="").lower(),
        b64encode(f"me:{ODD}".encode("latin-1")).decode(),
        b64encode(f"me:{ODD}".encode("latin-1")).decode().rstrip("="),
    ],
)
@pytest.mark.parametrize(("status", "more"), [(400, {}), (200, {}), (200, {"pages": None})])
def test_f8_no_secret_is_repeated_in_a_form_of_the_answer(
    staging: Staging, form: str, status: int, more: dict[str, Any]
) -> None:
    """In JSON, in HTML, in lower case; and in an answer of success, too."""
    told = json.dumps({"error": "…"}).replace("…", form.strip('"'))
    with (
        serving(lambda _: Reply(told.encode(), status)) as service,
        pytest.raises(ReportError) as fault,
    ):
        fetch(staging, Endpoint(service.url, ("me", ODD)), **more)

    assert "error" in str(fault.value)
    for part in (form.strip('"'), json.loads(json.dumps(ODD))):
        assert part not in f"{fault.value!r} {fault.value}"


def test_f8_an_error_in_an_answer_of_success_holds_no_key_and_keeps_the_day(
    staging: Staging,
) -> None:
    told = json.dumps({"error": f"no day 2024-05-01 for {SECRET}"}).encode()
    with serving(lambda _: Reply(told)) as service, pytest.raises(ReportError) as fault:
        fetch(staging, service.url, query={"api_key": SECRET, "day": "2024-05-01"})

    assert "error: no day 2024-05-01 for …" in str(fault.value)


def test_a_login_that_http_cannot_carry_is_named_without_it(staging: Staging) -> None:
    known = "пароль"
    with (
        serving(lambda _: page(*rows(0, 1))) as service,
        pytest.raises(TerminalError, match="characters that HTTP cannot carry") as fault,
    ):
        fetch(staging, Endpoint(service.url, ("me", known)))

    assert known not in repr(fault.value)
    assert fault.value.__suppress_context__


def test_f8_an_endpoint_does_not_print_its_secrets() -> None:
    assert SECRET not in repr(Endpoint("http://x", ("u", SECRET), {"X-Api-Key": SECRET}))


def test_f50_a_redirect_to_another_host_gets_nothing(staging: Staging) -> None:
    with serving(lambda _: page(*rows(0, 1))) as other:
        away = Reply(status=302, headers={"Location": f"{other.url}/v1/orders?key=x"})
        with serving(lambda _: away) as service, pytest.raises(TerminalError) as fault:
            fetch(staging, Endpoint(service.url, ("u", SECRET), {"X-Api-Key": SECRET}))

    assert other.requests == []
    assert "pointed to http://127.0.0.1" in str(fault.value)
    assert "key=x" not in str(fault.value)


def test_f50_an_address_that_is_read_in_two_ways_gets_nothing(staging: Staging) -> None:
    """To the standard library the host stands behind the @, to the one that connects before it."""
    with serving(lambda _: page(*rows(0, 1))) as other:

        def away(request: Request) -> Reply:
            own = request.headers["Host"]
            target = other.url.replace("127.0.0.1", "localhost")
            return Reply(status=302, headers={"Location": rf"{target}\@{own}/v1/orders"})

        with (
            serving(away) as service,
            pytest.raises(TerminalError, match="pointed to http://local"),
        ):
            fetch(staging, Endpoint(service.url, ("u", SECRET), {"X-Api-Key": SECRET}))

    assert other.requests == []


@pytest.mark.parametrize("address", ["http://[::1/x", f"http://h:{SECRET}/x", "http://h:99999999"])
def test_f50_an_address_that_is_none_is_named_without_it(staging: Staging, address: str) -> None:
    away = Reply(status=302, headers={"Location": address})
    linked = Reply(page(*rows(0, 1)).body, headers={"Link": f'<{address}>; rel="next"'})
    for answer, source in ((away, {}), (linked, {"pages": LinkPages("items")})):
        with (
            serving(lambda _, answer=answer: answer) as service,  # type: ignore[misc]
            pytest.raises(TerminalError, match="is no address") as fault,
        ):
            fetch(staging, service.url, **source)
        assert SECRET not in f"{fault.value!r}"
        assert fault.value.__suppress_context__


def test_f50_a_redirect_on_the_same_host_is_followed(staging: Staging) -> None:
    def answer(request: Request) -> Reply:
        if request.path == "/v1/orders":
            return Reply(status=307, headers={"Location": "/v2/orders?a=b"})
        return page(*rows(0, 2))

    with serving(answer) as service:
        assert fetch(staging, Endpoint(service.url, None, {"X-Api-Key": "k"})).num_rows == 2

    assert service.requests[1].headers["X-Api-Key"] == "k"
    assert service.requests[1].query == {"a": "b"}


def test_f84_the_body_of_a_redirect_is_not_read(staging: Staging) -> None:
    """It may have no end, and unzip to more than there is memory."""

    def answer(request: Request) -> Reply:
        if request.path == "/v1/orders":
            return Reply(b"x" * 1000, 302, {"Location": "/v2/orders"}, pace=0.1)
        return page(*rows(0, 2))

    began = time.monotonic()
    with serving(answer) as service:
        assert fetch(staging, service.url).num_rows == 2
    assert time.monotonic() - began < 30


def test_a_redirect_to_itself_ends(staging: Staging) -> None:
    again = Reply(status=302, headers={"Location": "/v1/orders"})
    with serving(lambda _: again) as service, pytest.raises(TerminalError, match="more than 5"):
        fetch(staging, service.url)
