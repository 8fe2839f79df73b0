"""F53: callbacks that are early, repeated, contrary, late, forged, oversized, or cut short."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from http import HTTPStatus

import pytest
import requests

from embedded_stack.stack import Stack
from reporting.core.objects import Bucket
from reporting.core.run import RunId
from reporting.core.service.callback import CLOCK_SKEW, MAX_BYTES, Awaited, sign, verdict
from reporting.core.service.request_record import RequestRecord, RequestRecords
from tests.integration.callback_receiver import receiving
from tests.integration.scripted_service import Reply, serving

pytestmark = pytest.mark.integration
SECRET = "S3CR3T of the installation"
DONE, FAILED = b'{"status": "done"}', b'{"status": "failed", "error": "disk full"}'


@dataclass(frozen=True)
class Receiver:
    """Where callbacks are received, and what is kept of them."""

    port: int
    bucket: Bucket
    awaited: Awaited

    def call(self, body: bytes | Iterator[bytes], token: str | None = None) -> tuple[int, str]:
        """Call back at an address; that of the awaited request unless told otherwise."""
        known = sign(self.awaited, SECRET) if token is None else token
        url = f"http://127.0.0.1:{self.port}/reports/api/callbacks/{known}"
        answer = requests.post(url, data=body, timeout=30)
        return answer.status_code, answer.text

    @property
    def records(self) -> RequestRecords:
        """What the run has asked."""
        return RequestRecords(self.bucket, RunId(self.awaited.report, self.awaited.run_id))

    @property
    def kept(self) -> list[str]:
        """Names of all that is kept."""
        prefix = self.awaited.prefix
        return [key.removeprefix(prefix) for key in self.bucket.keys(prefix)]


@pytest.fixture(scope="module")
def port(stack: Stack) -> Iterator[int]:
    with pytest.MonkeyPatch.context() as patched:
        name = "AIRFLOW_CONN_REPORT_STORE"
        patched.setenv(name, stack.environment()[name])
        patched.setenv("REPORTING_CALLBACK_URL", "http://127.0.0.1")
        patched.setenv("REPORTING_CALLBACK_SECRET", SECRET)
        with receiving() as found:
            yield found


def until(wait: timedelta) -> str:
    return (datetime.now(UTC) + wait).isoformat()


@pytest.fixture
def at(port: int, staging_bucket: Bucket, report_name: str) -> Receiver:
    """Return a receiver; the request was sent, and its answer with the job's id has not come."""
    records = RequestRecords(staging_bucket, RunId(report_name, "manual__1"))
    now = datetime.now(UTC).isoformat()
    record = RequestRecord("orders", "0", 1, "http", "orders_api", now, "/jobs")
    records.write(record)
    key = record.key(records.run.task_key)
    awaited = Awaited(report_name, "manual__1", "orders", key, until(timedelta(hours=1)))
    return Receiver(port, staging_bucket, awaited)


def refusal(status: int, title: str, detail: str) -> tuple[int, str]:
    problem = {"type": "about:blank", "title": title, "status": status, "detail": detail}
    return status, json.dumps(problem, separators=(",", ":"))


def receipt(name: str) -> tuple[int, str]:
    return 200, json.dumps({"receipt": name}, separators=(",", ":"))


def test_f53_an_early_call_is_kept(at: Receiver) -> None:
    """The service calls before its answer to the request has come, so no id is recorded."""
    known = at.records.read("orders")
    assert known is not None
    assert known.job == ""

    assert at.call(DONE) == receipt("kept")
    assert verdict(at.bucket, at.awaited) == {"status": "done"}


def test_f53_a_call_after_the_clean_up_is_taken_and_leaves_nothing(at: Receiver) -> None:
    at.records.forget("orders")

    assert at.call(DONE) == receipt("not awaited")
    assert at.kept == []


def test_f53_a_repeated_call_changes_nothing(at: Receiver) -> None:
    at.call(DONE)
    before = at.bucket.get(f"{at.awaited.prefix}verdict.json")

    for _ in range(3):
        assert at.call(b' {"status":"done"} ') == receipt("repeated")
    assert at.bucket.get(f"{at.awaited.prefix}verdict.json") == before
    assert at.kept == ["verdict.json"]


def test_f53_a_contrary_call_is_kept_beside_the_first_and_not_applied(at: Receiver) -> None:
    at.call(DONE)

    for _ in range(2):
        assert at.call(FAILED) == receipt("contradicts")
    assert at.call(DONE) == receipt("repeated")
    assert verdict(at.bucket, at.awaited) == {"status": "done"}
    (contrary,) = [name for name in at.kept if name != "verdict.json"]
    body = at.bucket.get(f"{at.awaited.prefix}{contrary}")
    assert json.loads(body or b"")["said"] == json.loads(FAILED)


def test_f53_a_late_call_is_refused(at: Receiver) -> None:
    over = replace(at.awaited, until=until(-CLOCK_SKEW - timedelta(seconds=1)))
    within = replace(at.awaited, until=until(-CLOCK_SKEW + timedelta(minutes=1)))

    assert at.call(DONE, sign(over, SECRET)) == refusal(
        403, "Forbidden", "The time to call back is over."
    )
    assert at.kept == []
    assert at.call(DONE, sign(within, SECRET)) == receipt("kept")


def changed_by_a_character(token: str) -> str:
    return ("B" if token[5] != "B" else "C").join([token[:5], token[6:]])


FORGED: dict[str, Callable[[Awaited], str]] = {
    "another secret": lambda awaited: sign(awaited, "guessed"),
    "a changed name": lambda awaited: changed_by_a_character(sign(awaited, SECRET)),
    "no signature": lambda awaited: sign(awaited, SECRET).rpartition(".")[0],
    "a cut signature": lambda awaited: sign(awaited, SECRET)[:-4],
    "text": lambda _: "job-1",
}


@pytest.mark.parametrize("forge", FORGED.values(), ids=FORGED)
def test_f53_a_forged_address_is_refused(at: Receiver, forge: Callable[[Awaited], str]) -> None:
    answer = at.call(DONE, forge(at.awaited))

    assert answer == refusal(403, "Forbidden", "This address was not given out here.")
    assert at.kept == []


def test_f53_an_address_is_good_for_its_own_request_only(at: Receiver) -> None:
    """The next request of the same source has another key, and an address of its own."""
    before = replace(at.awaited, key="before")

    assert at.call(FAILED, sign(before, SECRET)) == receipt("kept")
    assert verdict(at.bucket, at.awaited) is None


def test_f53_a_call_without_any_address_is_refused(at: Receiver) -> None:
    assert at.call(DONE, "")[0] in (403, 404, 405)


def pieces(count: int) -> Iterator[bytes]:
    yield from (b"x" * 1024 for _ in range(count))


def test_f53_an_oversized_call_is_refused_whether_it_tells_its_size_or_not(at: Receiver) -> None:
    large = json.dumps({"status": "done", "note": "x" * MAX_BYTES}).encode()

    for body in (large, pieces(1 + MAX_BYTES // 1024)):
        assert at.call(body) == refusal(413, HTTPStatus(413).phrase, "at most 65536 bytes")
    assert at.kept == []
    assert at.call(large[: -MAX_BYTES // 2] + b'"}') == receipt("kept")


@pytest.mark.parametrize(
    "body", [b"", b"done", b"[1]", b'"done"', b"null", b'{"status": ', b"\xff", b"[" * 60_000]
)
def test_f53_a_call_that_is_no_object_is_refused(at: Receiver, body: bytes) -> None:
    assert at.call(body) == refusal(422, HTTPStatus(422).phrase, "a JSON object is due")
    assert at.kept == []


def test_f53_a_call_that_is_cut_short_is_none(at: Receiver) -> None:
    """What came is a whole object; only the announced length tells."""
    path = f"/reports/api/callbacks/{sign(at.awaited, SECRET)}"
    head = f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n"
    with closing(socket.create_connection(("127.0.0.1", at.port))) as connection:
        connection.sendall(head.encode() + DONE)
        connection.shutdown(socket.SHUT_WR)
        assert b"200 OK" not in connection.recv(65536)

    assert at.kept == []
    assert at.call(DONE) == receipt("kept")


@pytest.mark.parametrize("away", [Reply(status=503), Reply(is_cut=True)], ids=["busy", "hung up"])
def test_f53_what_cannot_be_kept_is_not_acknowledged(
    at: Receiver, monkeypatch: pytest.MonkeyPatch, away: Reply
) -> None:
    """The store is away: a service that repeats its call loses nothing."""
    config = {"retries": {"total_max_attempts": 1}}
    with serving(lambda _: away) as store, monkeypatch.context() as patched:
        extra = {"endpoint_url": store.url, "region_name": "us-east-1", "config_kwargs": config}
        known = {"conn_type": "aws", "login": "a", "password": "b", "extra": extra}
        patched.setenv("AIRFLOW_CONN_REPORT_STORE", json.dumps(known))
        assert at.call(DONE)[0] == 503
    assert at.kept == []

    assert at.call(DONE) == receipt("kept")


def test_an_installation_without_a_secret_believes_nobody(
    at: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("REPORTING_CALLBACK_SECRET")

    for token in (None, sign(at.awaited, "")):
        assert at.call(DONE, token) == refusal(
            503,
            "Service Unavailable",
            "It could not be kept (DefinitionError); call again later.",
        )
    assert at.kept == []
