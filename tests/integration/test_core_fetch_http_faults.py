"""What services do to a reader: cut answers, silence, redirects, echoes of secrets."""

from __future__ import annotations

import gzip
import socket
import time
from collections.abc import Callable
from contextlib import closing
from threading import Event
from urllib.parse import quote, quote_plus

import pytest

from reporting.core.fetch.endpoint import Endpoint
from reporting.core.staging import Staging
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
        with pytest.raises(TransientError, match="GET /v1/orders failed: ConnectTimeout"):
            fetch(staging, f"http://127.0.0.1:{address[1]}", connect_timeout=0.3, read_timeout=30)
        assert time.monotonic() - began < 10
        for one in waiting:
            one.close()


def test_f84_a_server_that_never_answers_is_left_in_time(staging: Staging) -> None:
    hold = Event()
    with serving(lambda _: Reply(b"x", hold=hold)) as service:
        with pytest.raises(TransientError, match="GET /v1/orders failed: "):
            fetch(staging, service.url, read_timeout=0.3)
        hold.set()


def test_a_service_that_is_down_is_asked_again(staging: Staging) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as listener:
        port = listener.getsockname()[1]

    with pytest.raises(TransientError, match="failed: ConnectionError"):
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


def test_f50_a_redirect_on_the_same_host_is_followed(staging: Staging) -> None:
    def answer(request: Request) -> Reply:
        if request.path == "/v1/orders":
            return Reply(status=307, headers={"Location": "/v2/orders?a=b"})
        return page(*rows(0, 2))

    with serving(answer) as service:
        assert fetch(staging, Endpoint(service.url, None, {"X-Api-Key": "k"})).num_rows == 2

    assert service.requests[1].headers["X-Api-Key"] == "k"
    assert service.requests[1].query == {"a": "b"}


def test_a_redirect_to_itself_ends(staging: Staging) -> None:
    again = Reply(status=302, headers={"Location": "/v1/orders"})
    with serving(lambda _: again) as service, pytest.raises(TerminalError, match="more than 5"):
        fetch(staging, service.url)
