"""Only a pool that Airflow says it does not have fails a run; no other answer does."""

from __future__ import annotations

import json
from logging import WARNING

import pytest

from reporting.airflow_edge.known_pool import demand_pools
from reporting.airflow_edge.settings import settings
from reporting.errors import TerminalError
from tests.integration.scripted_service import Reply, Request, serving
from tests.specimens import a_report, a_source

REPORT = a_report(sources=[a_source(pool="few at once")])
TOKEN = Reply(b'{"access_token": "t"}')


def demanded(monkeypatch: pytest.MonkeyPatch, login: Reply, pool: Reply) -> list[str]:
    """Look for the pool at an Airflow that answers so; return what was asked for."""

    def answer(request: Request) -> Reply:
        return login if request.path.endswith("/auth/token") else pool

    with serving(answer) as airflow:
        name = f"AIRFLOW_CONN_{settings().api_conn_id.upper()}"
        known = {"conn_type": "http", "host": airflow.url, "login": "ann", "password": "-"}
        monkeypatch.setenv(name, json.dumps(known))
        try:
            demand_pools(REPORT)
        finally:
            asked = [request.path for request in airflow.requests]
    return asked


def test_a_pool_that_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    assert demanded(monkeypatch, TOKEN, Reply(b"{}"))[-1] == "/api/v2/pools/few%20at%20once"


def test_a_pool_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(TerminalError, match="Airflow has no pool 'few at once'"):
        demanded(monkeypatch, TOKEN, Reply(b"{}", 404))


@pytest.mark.parametrize(
    ("login", "pool"),
    [
        (Reply(b"{}", 404), TOKEN),
        (Reply(b"{}", 401), TOKEN),
        (Reply(b"{}", 422), TOKEN),
        (TOKEN, Reply(b"{}", 403)),
        (TOKEN, Reply(b"{}", 500)),
        (TOKEN, Reply(b"<!doctype html>")),
    ],
)
def test_an_airflow_that_does_not_tell_ends_no_run(
    login: Reply,
    pool: Reply,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(WARNING, "reporting.airflow_edge.known_pool"):
        demanded(monkeypatch, login, pool)

    assert "'few at once' is not looked for" in caplog.text


def test_an_airflow_without_a_connection_ends_no_run(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.delenv(f"AIRFLOW_CONN_{settings().api_conn_id.upper()}", raising=False)
    with caplog.at_level(WARNING, "reporting.airflow_edge.known_pool"):
        demand_pools(REPORT)

    assert "Airflow has no connection 'airflow_api'" in caplog.text
