"""A warehouse that takes calls and says nothing is given up soon by whoever waits at a page."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from time import monotonic
from typing import Any

import psycopg
import pytest

from reporting.airflow_edge import watched_warehouse
from reporting.airflow_edge.open_dead_letters import reading_dead_letters, settling_dead_letters
from tests.airflow_home import use_own_home

pytestmark = pytest.mark.integration
PATIENCE = 2  # seconds, the least that PostgreSQL's library knows


@pytest.fixture
def silent(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Name a warehouse that never answers."""
    use_own_home()
    monkeypatch.setattr(watched_warehouse, "CONNECT_SECONDS", PATIENCE)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        known = {"conn_type": "postgres", "host": "127.0.0.1", "port": listener.getsockname()[1]}
        monkeypatch.setenv("AIRFLOW_CONN_REPORT_WAREHOUSE", json.dumps(known))
        yield


OPENED: dict[str, Callable[[], Any]] = {
    "to look": watched_warehouse.read_only_warehouse,
    "to look at dead letters": lambda: ExitStack().enter_context(reading_dead_letters()),
    "to settle dead letters": lambda: ExitStack().enter_context(settling_dead_letters("ann")),
}


@pytest.mark.usefixtures("silent")
@pytest.mark.parametrize("opened", OPENED.values(), ids=OPENED)
def test_it_is_given_up_soon(opened: Callable[[], Any]) -> None:
    begun = monotonic()
    with pytest.raises(psycopg.OperationalError):
        opened()
    assert monotonic() - begun < PATIENCE * 5
