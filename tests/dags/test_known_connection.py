"""A connection that is missing or of another type is told at once, with what to do."""

from __future__ import annotations

import json
from typing import Any

import pytest

from reporting.errors import TerminalError


def opened(kind: str, conn_id: str) -> Any:
    from reporting.airflow_edge import connections, s3_clients

    if kind == "postgres":
        with connections.postgres(conn_id) as connection:
            return connection
    return {
        "http": connections.http_endpoint,
        "aws": s3_clients.s3_client,
        "generic": connections.broker,
    }[kind](conn_id)


@pytest.mark.parametrize("kind", ["postgres", "http", "aws", "generic"])
def test_a_missing_connection(kind: str) -> None:
    from reporting.airflow_edge.known_connection import NoConnectionError

    with pytest.raises(NoConnectionError) as fault:
        opened(kind, "tickets_api")

    assert str(fault.value) == (
        f"Airflow has no connection 'tickets_api'. Add one of type '{kind}': "
        "Admin > Connections, or AIRFLOW_CONN_TICKETS_API in its environment."
    )


@pytest.mark.parametrize(
    ("kind", "got"),
    [("postgres", "http"), ("http", "postgres"), ("aws", "http"), ("generic", "http")],
)
def test_a_connection_of_another_type(monkeypatch: Any, kind: str, got: str) -> None:
    known = {"conn_type": got, "host": "127.0.0.1", "port": 1, "password": "S3CR3T"}
    monkeypatch.setenv("AIRFLOW_CONN_MIXED_UP", json.dumps(known))

    told = f"'mixed_up' is of type '{got}'; allowed: {kind}[.]"
    with pytest.raises(TerminalError, match=told) as fault:
        opened(kind, "mixed_up")

    assert "S3CR3T" not in str(fault.value)


@pytest.mark.parametrize("got", ["http", "https", "generic"])
def test_types_that_say_the_same_or_nothing(monkeypatch: Any, got: str) -> None:
    monkeypatch.setenv("AIRFLOW_CONN_FINE", json.dumps({"conn_type": got, "host": "a.example"}))

    assert opened("http", "fine").base_url == "http://a.example"


def test_a_store_is_opened_once_until_its_connection_changes(monkeypatch: Any) -> None:
    known = {"conn_type": "aws", "login": "u", "password": "p", "extra": {"region_name": "x"}}
    monkeypatch.setenv("AIRFLOW_CONN_KEPT", json.dumps(known))
    first = opened("aws", "kept")
    assert opened("aws", "kept") is first

    monkeypatch.setenv("AIRFLOW_CONN_KEPT", json.dumps({**known, "password": "other"}))
    assert opened("aws", "kept") is not first
