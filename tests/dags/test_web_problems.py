"""Errors of the web routes: what is away is named, and no secret is told (F8)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy.exc import OperationalError

from reporting.core.service.broker import Broker
from reporting.core.service.dead_letters import NoSuchLetterError
from reporting.errors import InputError, IntegrityError

SECRET = "S3CR3T"


def warehouse_away() -> None:
    import psycopg

    psycopg.connect(f"postgresql://u:{SECRET}@127.0.0.1:1/db")


def database_away() -> None:
    raise OperationalError("SELECT 1", {}, Exception(f"postgresql://u:{SECRET}@h/db"))


def broker_away() -> None:
    with Broker("127.0.0.1", 1, "u", SECRET, "/").channel():
        pass


def store_away() -> None:
    import boto3
    from botocore.config import Config

    boto3.client(
        "s3",
        endpoint_url="http://127.0.0.1:1",
        region_name="us-east-1",
        aws_access_key_id="u",
        aws_secret_access_key=SECRET,
        config=Config(retries={"max_attempts": 0}),
    ).list_buckets()


def no_connection() -> None:
    from reporting.airflow_edge.known_connection import NoConnectionError

    raise NoConnectionError("Airflow has no connection 'report_warehouse'.")


def raising(error: Exception) -> Callable[[], None]:
    def act() -> None:
        raise error

    return act


def answered(act: Callable[[], None]) -> Any:
    """Return the answer of a route that does this."""
    from fastapi import FastAPI
    from starlette.testclient import TestClient

    from reporting.airflow_edge.web_problems import tell_problems

    app = FastAPI(openapi_url=None)
    tell_problems(app)
    app.get("/")(act)
    return TestClient(app, raise_server_exceptions=False).get("/")


@pytest.mark.parametrize(
    ("act", "status", "said"),
    [
        (warehouse_away, 503, "The report warehouse does not answer (OperationalError)"),
        (store_away, 503, "The report store does not answer (EndpointConnectionError)"),
        (database_away, 503, "Airflow's database does not answer (OperationalError)"),
        (broker_away, 503, "Broker 127.0.0.1:1"),
        (no_connection, 503, "no connection 'report_warehouse'"),
        (raising(NoSuchLetterError("There is no dead letter 3.")), 404, "no dead letter 3"),
        (raising(InputError("Dead letter 3 was replayed already.")), 409, "replayed already"),
        (raising(IntegrityError("Object 'x' is no request record")), 409, "no request record"),
        (raising(ValueError(f"http://u:{SECRET}@a/b")), 500, "A fault of this page"),
        (raising(InputError(f"http://u:{SECRET}@a/b?key={SECRET}")), 409, "http://"),
    ],
)
def test_an_error_is_a_problem_that_says_what_is_wrong(
    act: Callable[[], None], status: int, said: str, caplog: pytest.LogCaptureFixture
) -> None:
    answer = answered(act)

    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert (problem["status"], problem["type"]) == (status, "about:blank")
    assert said in problem["detail"]
    ours = [record.getMessage() for record in caplog.records if "reporting" in record.name]
    assert SECRET not in answer.text + " ".join(ours)
