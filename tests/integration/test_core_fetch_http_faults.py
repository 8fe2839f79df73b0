"""What services do to a reader: cut answers, silence, redirects, echoes of secrets."""

from __future__ import annotations

import gzip
import socket
from collections.abc import Callable
from contextlib import closing
from datetime import timedelta
from threading import Event, Thread

import pytest

from reporting.core.fetch.endpoint import Endpoint
from reporting.core.staging import Staging
from reporting.errors import ReportError, TerminalError, TransientError
from tests.integration.http_fetching import SECRET, by_cursor, fetch, nothing_is_left, rows
from tests.integration.scripted_service import Reply, Request, page, serving

pytestmark = pytest.mark.integration

WHOLE = page(*rows(0, 3)).body


@pytest.mark.parametrize(
    "reply",
    [
        Reply(WHOLE, headers={"Content-Length": "1000"}),
        Reply(WHOLE[:20], headers={"Content-Length": str(len(WHOLE))}),
        Reply(b"3e\r\n" + WHOLE[:0x3E] + b"\r\n", headers={"Transfer-Encoding": "chunked"}),
        Reply(b"3e8\r\n" + WHOLE, headers={"Transfer-Encoding": "chunked"}),
        Reply(gzip.compress(WHOLE)[:-8], headers={"Content-Encoding": "gzip",
                                                  "Content-Length": "1000"}),
        Reply(gzip.compress(WHOLE)[:-9], headers={"Content-Encoding": "gzip"}),
        Reply(b"not gzip", headers={"Content-Encoding": "gzip"}),
    ],
    ids=["whole JSON", "short", "no end chunk", "half a chunk", "gzip cut", "gzip ends early",
         "no gzip"],
)  # fmt: skip
def test_f49_a_body_that_was_cut_off_is_never_staged(staging: Staging, reply: Reply) -> None:
    with (
        serving(lambda _: reply) as service,
        pytest.raises(TransientError, match=r"failed: |zipped body"),
    ):
        fetch(staging, service.url)

    assert nothing_is_left(staging)


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


def test_f84_a_server_that_never_answers_is_left_in_time(staging: Staging) -> None:
    hold = Event()
    with serving(lambda _: Reply(b"x", hold=hold)) as service:
        with pytest.raises(TransientError, match="GET /v1/orders failed: "):
            fetch(staging, service.url, read_timeout=0.3)
        hold.set()


def test_f84_an_answer_that_drips_is_left_at_the_time_limit(staging: Staging) -> None:
    """Each byte comes within the read timeout; only the total limit can end it."""
    stop = Event()

    def drip(listener: socket.socket) -> None:
        connection, _ = listener.accept()
        with connection:
            connection.recv(65536)
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
            for _ in range(100):
                if stop.wait(0.1):
                    return
                try:
                    connection.sendall(b" ")
                except OSError:
                    return

    with closing(socket.create_server(("127.0.0.1", 0))) as listener:
        thread = Thread(target=drip, args=(listener,), daemon=True)
        thread.start()
        with pytest.raises(TransientError, match="had not ended after 0:00:01"):
            fetch(
                staging,
                f"http://127.0.0.1:{listener.getsockname()[1]}",
                read_timeout=5,
                time_limit=timedelta(seconds=1),
            )
        stop.set()
        thread.join()


def test_a_service_that_is_down_is_asked_again(staging: Staging) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as listener:
        port = listener.getsockname()[1]

    with pytest.raises(TransientError, match="failed: ConnectionError"):
        fetch(staging, f"http://127.0.0.1:{port}")


def echo(status: int) -> Callable[[Request], Reply]:
    """Answer with everything the client has sent, as careless error pages do."""

    def answer(request: Request) -> Reply:
        words = f"GET {request.path}?{request.query} {request.headers}"
        return Reply(words.encode(), status)

    return answer


@pytest.mark.parametrize("answer", [echo(500), echo(403), lambda _: Reply(b"x", headers={
    "Content-Length": "9"})], ids=["500", "403", "cut"])  # fmt: skip
def test_f8_no_secret_is_in_any_message(
    staging: Staging, answer: Callable[[Request], Reply]
) -> None:
    with serving(answer) as service, pytest.raises(ReportError) as fault:
        fetch(
            staging,
            Endpoint(service.url, ("user", f"{SECRET}1"), {"X-Own": f"Token {SECRET}2"}),
            query={"api_key": f"{SECRET}3", "limit": "100"},
        )

    sent = service.requests[0]
    assert sent.query == {"api_key": f"{SECRET}3", "limit": "100"}
    assert sent.headers["X-Own"].endswith(f"{SECRET}2")
    told = f"{fault.value!r} {fault.value.__cause__!r}"
    assert SECRET not in told
    assert "api_key=" not in told
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
