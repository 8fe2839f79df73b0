"""Fetching from a real HTTP server that behaves as badly as those in the field."""

from __future__ import annotations

import gzip
import json
import socket
from collections.abc import Callable
from contextlib import closing
from datetime import timedelta
from decimal import Decimal
from threading import Event, Thread
from typing import Any

import pyarrow as pa
import pytest

from reporting.core.fetch.http import Endpoint, fetch_http
from reporting.core.inputs import read_part
from reporting.core.objects import Bucket
from reporting.core.run import RunId
from reporting.core.staging import Staging
from reporting.errors import ContractError, ReportError, TerminalError, TransientError
from tests.integration.scripted_service import Reply, Request, page, serving
from tests.specimens import a_run, an_http_source

pytestmark = pytest.mark.integration

SECRET = "S3CR3T-token"


@pytest.fixture
def staging(staging_bucket: Bucket, report_name: str) -> Staging:
    return Staging(staging_bucket, RunId(report_name, "run"))


def fetch(
    staging: Staging, endpoint: str | Endpoint, *, params: Any = None, **source: Any
) -> pa.Table:
    declared = an_http_source(**source)
    at = Endpoint(endpoint) if isinstance(endpoint, str) else endpoint
    with staging.attempt("orders", declared.schema) as attempt:
        manifest = attempt.commit(fetch_http(declared, at, a_run(params=params), attempt))
    return pa.concat_tables(
        read_part(staging.bucket, part, None, "fetch") for part in manifest.parts
    )


def rows(first: int, count: int) -> list[dict[str, Any]]:
    return [{"id": number, "name": "x"} for number in range(first, first + count)]


def by_cursor(pages: dict[str | None, Reply]) -> Callable[[Request], Reply]:
    return lambda request: pages[request.query.get("cursor")]


def nothing_is_left(staging: Staging) -> bool:
    return list(staging.bucket.keys(staging.run.prefix)) == []


def test_f45_the_end_is_the_services_own_word_not_a_short_page(staging: Staging) -> None:
    answers = by_cursor({
        None: page(*rows(0, 100), cursor="a"),
        "a": page(*rows(100, 37), cursor="b"),
        "b": page(cursor=7),
        "7": page(*rows(137, 100)),
    })  # fmt: skip
    with serving(answers) as service:
        table = fetch(staging, service.url)

    assert table["id"].to_pylist() == list(range(237))
    manifest = staging.manifest("orders")
    assert manifest is not None
    assert (manifest.rows, manifest.facts["pages"]) == (237, 4)


@pytest.mark.parametrize("next_of", [{"A": "B", "B": "A"}, {"A": "A"}, {"": ""}],
                         ids=["cycle", "ignored", "empty"])  # fmt: skip
def test_f47_cursors_that_go_in_circles_are_named(
    staging: Staging, next_of: dict[str, str]
) -> None:
    start = next(iter(next_of))

    def answer(request: Request) -> Reply:
        cursor = request.query.get("cursor")
        return page(*rows(0, 2), cursor=start if cursor is None else next_of[cursor])

    with serving(answer) as service, pytest.raises(ContractError, match="repeats cursor"):
        fetch(staging, service.url)

    assert len(service.requests) <= 4
    assert nothing_is_left(staging)


@pytest.mark.parametrize("cursor", [True, 1.5, {"a": 1}, ["x"]])
def test_a_cursor_that_is_none_is_refused(staging: Staging, cursor: Any) -> None:
    with serving(lambda _: page(cursor=cursor)) as service, pytest.raises(ContractError) as fault:
        fetch(staging, service.url)

    assert "cursor 'next' is" in str(fault.value)


@pytest.mark.parametrize(
    ("reply", "kind", "wait"),
    [
        (Reply(status=429, headers={"Retry-After": "7"}), TransientError, 7),
        (Reply(status=429, headers={"Retry-After": "9" * 20}), TransientError, 3600),
        (Reply(status=503, headers={"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}),
         TransientError, None),
        (Reply(status=503, headers={"Retry-After": "²"}), TransientError, None),
        (Reply(status=500), TransientError, None),
        (Reply(status=408), TransientError, None),
        (Reply(status=404), TerminalError, None),
        (Reply(status=401), TerminalError, None),
        (Reply(status=204), TerminalError, None),
    ],
)  # fmt: skip
def test_the_status_decides_whether_to_come_again(
    staging: Staging, reply: Reply, kind: type[ReportError], wait: int | None
) -> None:
    with serving(lambda _: reply) as service, pytest.raises(kind) as fault:
        fetch(staging, service.url)

    assert f"'orders': GET /v1/orders answered {reply.status}" in str(fault.value)
    waited = getattr(fault.value, "retry_after", None)
    assert waited == (None if wait is None else timedelta(seconds=wait))
    assert nothing_is_left(staging)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"<html>please log in</html>", ["text/html", "not a JSON object"]),
        (b"", ["not a JSON object"]),
        (b"[]", ["not a JSON object"]),
        (b"[" * 100_000, ["not a JSON object"]),
        (b'{"items": "\xff"}', ["not a JSON object"]),
        (b'{"data": [], "next": null}', ["no list of objects 'items'", "data, next"]),
        (b'{"items": [1]}', ["no list of objects 'items'"]),
        (b'{"items": null}', ["no list of objects 'items'"]),
        (b'{"items": [{"id": "x"}]}', ["row 1, column 'id': 'x'", "int64 not null"]),
        (b'{"items": [{"name": "x"}]}', ["column 'id', row 1", "NULL"]),
    ],
)
def test_200_with_another_shape_is_refused(staging: Staging, body: bytes, words: list[str]) -> None:
    reply = Reply(body, headers={"Content-Type": "text/html"})
    with serving(lambda _: reply) as service, pytest.raises(ContractError) as fault:
        fetch(staging, service.url)

    for word in (*words, "'orders'"):
        assert word in str(fault.value)
    assert nothing_is_left(staging)


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
        Reply(b"not gzip", headers={"Content-Encoding": "gzip"}),
    ],
    ids=["whole JSON", "short", "no end chunk", "half a chunk", "gzip cut", "no gzip"],
)  # fmt: skip
def test_f49_a_body_that_was_cut_off_is_never_staged(staging: Staging, reply: Reply) -> None:
    with serving(lambda _: reply) as service, pytest.raises(TransientError, match="failed: "):
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
    assert "redirected to http://127.0.0.1" in str(fault.value)
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


def test_f28_f30_numbers_are_exact(staging: Staging) -> None:
    body = b'{"items": [{"id": 9007199254740993, "n": 12345678901234.567891}, {"id": 1, "n": 0.1}]}'
    with serving(lambda _: Reply(body)) as service:
        table = fetch(
            staging, service.url, columns={"id": "int64", "n": "decimal(20,6)", "gone": "text"}
        )

    assert table["id"].to_pylist() == [9007199254740993, 1]
    assert table["n"].to_pylist() == [Decimal("12345678901234.567891"), Decimal("0.100000")]
    assert table["gone"].to_pylist() == [None, None]


def test_the_query_is_filled_from_the_run(staging: Staging) -> None:
    with serving(lambda _: page()) as service:
        fetch(
            staging,
            service.url,
            params={"carrier": None, "flag": True, "text": "a&b=c %é"},
            query={
                "from": "{period_start}",
                "day": "{period}",
                "carrier": "{carrier}",
                "flag": "{flag}",
                "q": '{"t": "{text}"}',
            },
        )

    assert service.requests[0].query == {
        "from": "2024-04-30T22:00:00+00:00",
        "day": "2024-05-01",
        "flag": "true",
        "q": '{"t": "a&b=c %é"}',
    }
    assert json.loads(service.requests[0].query["q"]) == {"t": "a&b=c %é"}
