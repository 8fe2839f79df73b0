"""Clients of S3 are those of Airflow's hook, without the look at everybody's source."""

from __future__ import annotations

import inspect
import json
from typing import Any
from uuid import uuid4

import pytest

from reporting.airflow_edge.s3_clients import loaded_models, s3_client

PLACES: dict[str, dict[str, Any]] = {
    "an endpoint of its own": {
        "endpoint_url": "http://127.0.0.1:1",
        "region_name": "eu-central-1",
        "config_kwargs": {"s3": {"addressing_style": "path"}, "retries": {"max_attempts": 7}},
    },
    "one for S3 alone": {"service_config": {"s3": {"endpoint_url": "http://127.0.0.1:2"}}},
    "unchecked certificates": {"region_name": "us-east-2", "verify": False},
}


@pytest.fixture(params=PLACES)
def conn_id(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> str:
    name, extra = f"place_{uuid4().hex}", PLACES[request.param]
    known = {"conn_type": "aws", "login": "me", "password": "S3CR3T", "extra": extra}
    monkeypatch.setenv(f"AIRFLOW_CONN_{name.upper()}", json.dumps(known))
    return name


def test_a_client_is_as_the_hook_makes_it(conn_id: str) -> None:
    from airflow.providers.amazon.aws.hooks.s3 import S3Hook

    ours: Any = s3_client(conn_id)
    usual: Any = S3Hook(conn_id).get_conn()

    for told in ("endpoint_url", "region_name"):
        assert getattr(ours.meta, told) == getattr(usual.meta, told)
    for told in ("s3", "retries", "signature_version", "connect_timeout"):
        assert getattr(ours.meta.config, told) == getattr(usual.meta.config, told)
    assert ours._request_signer._credentials.secret_key == "S3CR3T"
    assert ours._endpoint.http_session._verify == usual._endpoint.http_session._verify


def test_nobodys_source_is_read(monkeypatch: pytest.MonkeyPatch, conn_id: str) -> None:
    loaded_models()
    monkeypatch.setattr(inspect, "stack", lambda *_: pytest.fail("the source was read"))

    assert s3_client(conn_id).meta.service_model.service_name == "s3"


def test_what_botocore_knows_is_read_once() -> None:
    assert loaded_models() is loaded_models()
    assert loaded_models().load_service_model("s3", "service-2")["metadata"]["serviceId"] == "S3"
