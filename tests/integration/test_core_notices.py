"""The door for what may get lost, with channels that speak to real sockets (R9)."""

from __future__ import annotations

import socket
from time import monotonic

import pytest
import requests

from reporting.core.notices import Door, Tally
from tests.integration.scripted_service import Reply, serving

pytestmark = pytest.mark.integration

GENEROUS = 5.0


def post(url: str) -> None:
    requests.post(url, json={"text": "published"}, timeout=20).raise_for_status()


def told(url: str, seconds: float) -> Tally:
    door = Door[str](post)
    door.tell(url)
    return door.close(seconds)


def test_a_server_that_never_answers_costs_only_the_time_allowed() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        before = monotonic()
        tally = told(f"http://127.0.0.1:{silent.getsockname()[1]}/", 0.3)
        assert monotonic() - before < GENEROUS
    assert tally == Tally(0, {"late": 1})


def test_a_closed_port_is_counted() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    assert told(f"http://127.0.0.1:{port}/", GENEROUS) == Tally(0, {"ConnectionError": 1})


@pytest.mark.parametrize(
    ("status", "tally"), [(200, Tally(1, {})), (500, Tally(0, {"HTTPError": 1}))]
)
def test_what_a_server_answers_counts(status: int, tally: Tally) -> None:
    with serving(lambda _: Reply(b"ok", status=status)) as service:
        assert told(service.url, GENEROUS) == tally
