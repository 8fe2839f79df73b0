"""How waiting for a drop ends: complete, refused, or late; a store that is away ends nothing."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import pytest

from reporting.airflow_edge.drop_trigger import DropTrigger
from reporting.core.fetch.s3_sought import sought_by
from reporting.core.service.watch import DONE, LATE, REFUSED, Patience
from tests.integration.scripted_service import Reply, Request, serving
from tests.specimens import an_s3_source

SOUGHT = sought_by(an_s3_source(key="drops/{period}.csv"), "2024-05-01")
FOUND = Reply(b"id\n", headers={"ETag": '"1"', "Last-Modified": "Wed, 01 May 2024 06:00:00 GMT"})


def said(status: int, code: str) -> Reply:
    return Reply(f"<Error><Code>{code}</Code></Error>".encode(), status)


AWAY, ABSENT = said(503, "SlowDown"), said(404, "NoSuchKey")


@pytest.fixture
def ended(monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[dict[str, Any], list[Request]]]:
    """Let a trigger wait at a store that answers so; return its event, and what was asked.

    The store knows no HEAD, so each look is one GET.
    """

    def run(*replies: Reply, seconds: float = 30) -> tuple[dict[str, Any], list[Request]]:
        left = list(replies)
        with serving(lambda _: left.pop(0) if left[1:] else left[0]) as store:
            extra = {
                "endpoint_url": store.url,
                "region_name": "us-east-1",
                "config_kwargs": {"retries": {"total_max_attempts": 1}},
            }
            known = {"conn_type": "aws", "login": "a", "password": "b", "extra": extra}
            monkeypatch.setenv("AIRFLOW_CONN_LANDING", json.dumps(known))
            return asyncio.run(_event(seconds)), store.requests

    return run


async def _event(seconds: float) -> dict[str, Any]:
    patience = Patience(0.05, 0.05, seconds, time.time() + seconds)
    trigger = DropTrigger(asdict(SOUGHT), asdict(patience), "", "it is not there")
    kind, kept = trigger.serialize()
    assert kind.endswith("drop_trigger.DropTrigger")
    (event,) = [event async for event in DropTrigger(**json.loads(json.dumps(kept))).run()]
    payload: dict[str, Any] = event.payload
    assert payload["until"] == patience.until
    return payload


def test_it_looks_until_the_drop_is_there(ended: Any) -> None:
    event, asked = ended(ABSENT, AWAY, ABSENT, FOUND)

    assert event["outcome"] == DONE
    assert {request.path for request in asked} == {"/landing/drops/2024-05-01.csv"}
    assert len(asked) == 4


def test_f73_a_refusal_ends_the_waiting_at_once(ended: Any) -> None:
    event, asked = ended(ABSENT, said(403, "AccessDenied"))

    assert event["outcome"] == REFUSED
    assert event["reason"].startswith("Source 'orders': object landing/drops/2024-05-01.csv: the")
    assert "refuses connection 'landing': 403 AccessDenied" in event["reason"]
    assert len(asked) == 2


def test_what_does_not_come_is_late(ended: Any) -> None:
    assert ended(ABSENT, seconds=0.3)[0]["outcome"] == LATE
