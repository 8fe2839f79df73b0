"""How waiting for a job ends; what is away is waited for, and who does not call is asked once."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import pytest

from reporting.airflow_edge.job_trigger import JobTrigger
from reporting.core.service.callback import Awaited
from reporting.core.service.watch import DONE, FAILED, LATE, REFUSED, STALLED, Patience
from reporting.definition.jobs import Job
from tests.integration.hostile_http import PAGE_FOR_PEOPLE
from tests.integration.scripted_service import Reply, Request, serving

AWAITED = Awaited("sales", "manual__1", "orders", "key", "2024-05-01T06:00:00+00:00")
NO_VERDICT = Reply(b"<Error><Code>NoSuchKey</Code></Error>", 404)
STORE_AWAY = Reply(b"<Error><Code>SlowDown</Code></Error>", 503)
FOREVER = 30.0


def status(state: str, **more: Any) -> Reply:
    return Reply(json.dumps({"status": state, **more}).encode())


def verdict(state: str, **more: Any) -> Reply:
    said = {"status": state, **more}
    return Reply(json.dumps({"said": said, "at": "2024-05-01T05:00:00+00:00"}).encode())


RUNNING, DONE_NOW = status("running"), status("done")


class Waiting:
    """Lets a trigger wait at a service and a store that answer so, the last answer for ever.

    Attributes:
        looks: requests the service got.
        heard: requests the store got.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._set = monkeypatch.setenv
        self.looks: list[Request] = []
        self.heard: list[Request] = []

    def polled(self, *replies: Reply, **patience: float) -> dict[str, Any]:
        with serving(in_turn(*replies)) as service:
            self._set("AIRFLOW_CONN_ORDERS_API", json.dumps(known_at(service.url)))
            self.looks = service.requests
            return asyncio.run(event(None, **patience))

    def called(self, said: list[Reply], *replies: Reply, **patience: float) -> dict[str, Any]:
        with serving(in_turn(*said)) as store, serving(in_turn(*replies)) as service:
            self._set("AIRFLOW_CONN_ORDERS_API", json.dumps(known_at(service.url)))
            self._set("AIRFLOW_CONN_REPORT_STORE", json.dumps(stored_at(store.url)))
            self.looks, self.heard = service.requests, store.requests
            return asyncio.run(event(asdict(AWAITED), **patience))


def in_turn(*replies: Reply) -> Callable[[Request], Reply]:
    left = list(replies)
    return lambda _: left.pop(0) if left[1:] else left[0]


def known_at(url: str) -> dict[str, Any]:
    return {"conn_type": "http", "host": url}


def stored_at(url: str) -> dict[str, Any]:
    config = {"retries": {"total_max_attempts": 1}, "s3": {"addressing_style": "path"}}
    extra = {"endpoint_url": url, "region_name": "us-east-1", "config_kwargs": config}
    return {"conn_type": "aws", "login": "a", "password": "b", "extra": extra}


async def event(
    awaited: dict[str, str] | None, *, seconds: float = FOREVER, stalled: float = FOREVER
) -> dict[str, Any]:
    trigger = JobTrigger({
        "where": "Source 'orders'",
        "conn_id": "orders_api",
        "job_id": "job-1",
        "job": asdict(Job()),
        "patience": asdict(Patience(0.02, 0.02, stalled, time.time() + seconds)),
        "timeouts": {"connect": 1.0, "read": 1.0},
        "awaited": awaited,
    })  # fmt: skip
    kind, kept = trigger.serialize()
    assert kind.endswith("job_trigger.JobTrigger")
    (found,) = [event async for event in JobTrigger(**json.loads(json.dumps(kept))).run()]
    payload: dict[str, Any] = found.payload
    return payload


@pytest.fixture
def waiting(monkeypatch: pytest.MonkeyPatch) -> Waiting:
    return Waiting(monkeypatch)


def test_it_looks_until_the_job_is_done(waiting: Waiting) -> None:
    ended = waiting.polled(status("queued"), RUNNING, RUNNING, DONE_NOW)

    assert ended["outcome"] == DONE
    assert [request.path for request in waiting.looks] == ["/jobs/job-1"] * 4


@pytest.mark.parametrize(
    "away",
    [
        Reply(is_cut=True),
        Reply(status=500),
        Reply(status=503),
        Reply(status=429, headers={"Retry-After": "3600"}),
        Reply(b'{"status": "do', headers={"Content-Length": "18"}),
    ],
    ids=["hung up", "500", "503", "429", "cut off"],
)
def test_a_service_that_is_away_for_a_while_ends_nothing(waiting: Waiting, away: Reply) -> None:
    assert waiting.polled(RUNNING, away, away, DONE_NOW)["outcome"] == DONE
    assert len(waiting.looks) == 4


def test_a_job_that_fails_ends_with_the_services_reason(waiting: Waiting) -> None:
    ended = waiting.polled(RUNNING, status("failed", error="disk full"))

    assert ended == {"outcome": FAILED, "reason": "disk full"}


def test_a_job_that_moves_on_is_not_stalled_and_one_that_does_not_is(waiting: Waiting) -> None:
    moving = [status("running", progress=f"{n} %") for n in range(20)]

    assert waiting.polled(*moving, DONE_NOW, stalled=0.2)["outcome"] == DONE
    assert waiting.polled(*moving[:3], stalled=0.2)["outcome"] == STALLED
    assert waiting.polled(Reply(is_cut=True), stalled=0.2)["outcome"] == STALLED


def test_a_job_that_does_not_end_is_late(waiting: Waiting) -> None:
    assert waiting.polled(RUNNING, seconds=0.2)["outcome"] == LATE
    away = waiting.polled(Reply(is_cut=True), seconds=0.2)

    assert away["outcome"] == LATE
    assert away["reason"].startswith("Source 'orders': GET /jobs/job-1 at ")


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (Reply(b"no such job", 404), "answered 404: no such job"),
        (Reply(b"no longer", 403), "answered 403: no longer"),
        (Reply(PAGE_FOR_PEOPLE, headers={"Content-Type": "text/html"}), "no JSON object"),
        (Reply(b'{"error": "x"}'), "no text 'status'; it has: error"),
    ],
    ids=["unknown job", "refused", "page", "no state"],
)
def test_a_look_that_is_refused_ends_the_waiting_at_once(
    waiting: Waiting, reply: Reply, words: str
) -> None:
    ended = waiting.polled(RUNNING, reply)

    assert ended["outcome"] == REFUSED
    assert words in ended["reason"]
    assert len(waiting.looks) == 2


@pytest.mark.parametrize(
    ("said", "outcome", "reason"),
    [
        (verdict("done"), DONE, "the service gave no reason"),
        (verdict("failed", error="disk full"), FAILED, "disk full"),
    ],
)
def test_a_call_ends_the_waiting_without_a_look(
    waiting: Waiting, said: Reply, outcome: str, reason: str
) -> None:
    ended = waiting.called([NO_VERDICT, said], RUNNING)

    assert ended == {"outcome": outcome, "reason": reason}
    assert waiting.looks == []
    key = f"{AWAITED.prefix}verdict.json"
    assert {request.path for request in waiting.heard} == {f"/staging/{key}"}


@pytest.mark.parametrize("away", [STORE_AWAY, Reply(is_cut=True)], ids=["busy", "hung up"])
def test_a_store_that_is_away_for_a_while_ends_nothing(waiting: Waiting, away: Reply) -> None:
    assert waiting.called([NO_VERDICT, away, away, verdict("done")], RUNNING)["outcome"] == DONE
    assert len(waiting.heard) == 4


@pytest.mark.parametrize("said", [NO_VERDICT, STORE_AWAY], ids=["nothing", "store away"])
@pytest.mark.parametrize(
    ("reply", "outcome", "reason"),
    [
        (DONE_NOW, DONE, "the service gave no reason"),
        (status("failed", error="disk full"), FAILED, "disk full"),
        (RUNNING, LATE, "it did not call back"),
        (Reply(is_cut=True), LATE, "it did not call back"),
    ],
    ids=["done", "failed", "running", "away"],
)
def test_f53_when_no_call_comes_one_look_decides(
    waiting: Waiting, said: Reply, reply: Reply, outcome: str, reason: str
) -> None:
    ended = waiting.called([said], reply, seconds=0.1)

    assert ended == {"outcome": outcome, "reason": reason}
    assert len(waiting.looks) == 1


NO_STATE = Reply(b'{"said": {"progress": 5}, "at": "2024-05-01T05:00:00+00:00"}')


@pytest.mark.parametrize(
    "said", [verdict("running"), verdict("?"), NO_STATE], ids=["running", "unknown", "no state"]
)
def test_f53_a_first_call_that_tells_of_no_end_hides_none(waiting: Waiting, said: Reply) -> None:
    """The call that would tell of the end contradicts the first, and is not applied."""
    ended = waiting.called([NO_VERDICT, said], RUNNING, RUNNING, DONE_NOW)

    assert ended["outcome"] == DONE
    assert len(waiting.looks) == 3
