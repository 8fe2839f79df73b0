"""A real PostgreSQL and a real S3 store, started once and shared by all workers of a test run."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn
from uuid import uuid4

import psycopg
import pytest

from embedded_stack import broker_api, store
from embedded_stack.lock import exclusive
from embedded_stack.ports import Ports
from embedded_stack.stack import Stack
from reporting.core.objects import Bucket
from reporting.core.run import RunId
from reporting.core.saga import Places
from reporting.core.service.broker import Broker, forget_replies
from reporting.core.service.dead_letters import DeadLetters
from reporting.core.service.inbox import Inbox
from reporting.core.service.request_record import RequestRecords
from reporting.core.staging import Staging
from reporting.core.warehouse.schema import ensure_schema
from tests.integration.dead_messages import under_way
from tests.integration.own_database import own_database
from tests.integration.reconciling import World, a_world
from tests.integration.running_threads import forget_older
from tests.integration.scripted_service import Reply, Request, serving

if TYPE_CHECKING:
    from types_boto3_s3 import S3Client

Connection = psycopg.Connection[Any]


@pytest.fixture(autouse=True)
def _own_threads() -> None:
    """Let a test that counts threads count its own."""
    forget_older()


@pytest.fixture(scope="session")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """Return the running services; the worker that is done last stops them."""
    # Whoever ends the tests from outside ends the services too.
    signal.signal(signal.SIGTERM, lambda *_: pytest.exit("the tests were told to end"))
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    home, users = shared / "stack", shared / "stack.users"
    users.mkdir(exist_ok=True)
    mine = users / uuid4().hex
    with exclusive(shared / "stack.lock"):
        running = Stack(home, _ports(shared / "stack.ports.json"), write=lambda _line: None)
        if not any(users.iterdir()):
            running.up(["postgres", "store", "broker"])
        mine.touch()
    yield running
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # it is ending already
    with exclusive(shared / "stack.lock"):
        mine.unlink()
        if not any(users.iterdir()):
            running.down()


def _ports(kept: Path) -> Ports:
    if not kept.exists():
        kept.write_text(json.dumps(asdict(Ports.free())))
    return Ports(**json.loads(kept.read_text()))


@pytest.fixture(scope="session")
def s3(stack: Stack) -> S3Client:
    """Return a client of the store."""
    return store.client(stack.layout)


@pytest.fixture
def broker(stack: Stack) -> Iterator[Broker]:
    """Return the message broker, with a virtual host of the test's own."""
    known = json.loads(stack.environment()["AIRFLOW_CONN_REPORTS_BROKER"])
    vhost = f"t_{uuid4().hex[:12]}"
    broker_api.call(stack.layout, "PUT", f"/vhosts/{vhost}", {})
    everything = {"configure": ".*", "write": ".*", "read": ".*"}
    permissions = f"/permissions/{vhost}/{known['login']}"
    broker_api.call(stack.layout, "PUT", permissions, everything)
    yield Broker(known["host"], known["port"], known["login"], known["password"], vhost)
    broker_api.call(stack.layout, "DELETE", f"/vhosts/{vhost}")


@pytest.fixture
def report_name() -> str:
    """Return a report's name that no other test uses, so that tests share buckets."""
    return f"r_{uuid4().hex[:12]}"


@pytest.fixture
def staging_bucket(s3: S3Client) -> Bucket:
    """Return the bucket of staged data."""
    return Bucket(s3, "staging")


@pytest.fixture
def database(stack: Stack) -> Iterator[str]:
    """Return the connection string of an empty database of the test's own."""
    with own_database(stack) as dsn:
        yield dsn


@pytest.fixture
def source_db(database: str) -> Iterator[Connection]:
    """Return a connection to a database that is a source."""
    with psycopg.connect(database, autocommit=True) as connection:
        yield connection


@pytest.fixture
def warehouse(source_db: Connection) -> Connection:
    """Return a connection to a warehouse with its schema."""
    ensure_schema(source_db)
    return source_db


@pytest.fixture
def places(warehouse: Connection, s3: S3Client) -> Places:
    """Return everywhere a run may leave something."""
    return Places(warehouse, Bucket(s3, "staging"), Bucket(s3, "reports"), _no_service)


def _no_service(run: RunId) -> NoReturn:
    raise AssertionError(f"{run} has asked no service")


@pytest.fixture
def staging(staging_bucket: Bucket, report_name: str) -> Staging:
    """The staging area of one run of one test."""
    return Staging(staging_bucket, RunId(report_name, "run"))


@pytest.fixture
def queue(broker: Broker) -> Iterator[str]:
    """Return the name of a queue that a service would take requests from."""
    name = f"t.{uuid4().hex[:12]}"
    yield name
    with broker.channel() as channel:
        channel.queue_delete(name)


@pytest.fixture
def inbox(staging: Staging, broker: Broker) -> Iterator[Inbox]:
    """Return where the answer to a request of the test is kept."""
    found = Inbox(staging.bucket, staging.run, "orders", uuid4().hex)
    yield found
    with broker.channel() as channel:
        forget_replies(channel, found.key)


@pytest.fixture
def letters(warehouse: Connection, staging_bucket: Bucket) -> DeadLetters:
    """Return the dead letters of an installation of the test's own."""
    return DeadLetters(warehouse, staging_bucket)


@pytest.fixture
def records(staging_bucket: Bucket, report_name: str) -> RequestRecords:
    """Return what a run of the test's own has asked."""
    return RequestRecords(staging_bucket, RunId(report_name, "run"))


@pytest.fixture
def asked(warehouse: Connection, records: RequestRecords, broker: Broker) -> Inbox:
    """Return where the answer to a request of an open run is kept; its reply queue is there."""
    return under_way(warehouse, broker, records)


@pytest.fixture
def own_places(places: Places, s3: S3Client) -> Iterator[Places]:
    """Places whose buckets no other test uses."""
    buckets = [Bucket(s3, f"{kind}-{uuid4().hex[:12]}") for kind in ("staging", "reports")]
    for bucket in buckets:
        s3.create_bucket(Bucket=bucket.name)
    yield replace(places, staging=buckets[0], reports=buckets[1])
    for bucket in buckets:
        bucket.delete(list(bucket.keys("")))
        bucket.abort_uploads("")
        s3.delete_bucket(Bucket=bucket.name)


@pytest.fixture
def world(own_places: Places, report_name: str) -> World:
    """Return an installation of the test's own, in which nothing has run."""
    return a_world(own_places, report_name)


@pytest.fixture
def chat(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Return what a healthy chat was told."""
    texts: list[str] = []

    def answer(request: Request) -> Reply:
        texts.append(json.loads(request.body)["text"])
        return Reply(b"ok")

    with serving(answer) as service:
        where = {"conn_type": "slackwebhook", "host": service.url, "password": "T0/B0/x"}
        monkeypatch.setenv("AIRFLOW_CONN_CHAT", json.dumps(where))
        yield texts
