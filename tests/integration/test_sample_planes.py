"""The planes service as a process of its own: answers, outlives its broker, ends when told to."""

from __future__ import annotations

import csv
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from embedded_stack import broker_api, planes
from embedded_stack.conditions import wait_for
from embedded_stack.layout import CHECKOUT
from embedded_stack.stack import Stack
from reporting.core.service.broker import Broker, reply_queue, send_request
from reporting.core.service.inbox import Inbox
from reporting.core.staging import Staging
from reporting.messages import Request
from reporting.service import serve
from reporting.serving import is_served
from sample_services import flight_data
from sample_services.planes import QUEUE, URL
from tests.integration.message_asking import LIMIT, asked, staged, taken
from tests.integration.message_service import waiting

pytestmark = pytest.mark.integration
COLUMNS = {"tailnum": "text not null", "manufacturer": "text", "year": "int64"}


def url_of(broker: Broker) -> str:
    return f"amqp://{broker.login}:{broker.password}@{broker.host}:{broker.port}/{broker.vhost}"


@contextmanager
def service(url: str, log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Run the service as the stack does."""
    with log.open("wb") as file:
        process = subprocess.Popen(
            [sys.executable, "-m", "sample_services.planes"],
            env=os.environ | {URL: url, "PYTHONPATH": str(CHECKOUT / "include")},
            stdout=file,
            stderr=subprocess.STDOUT,
        )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def eventually(what: str, look: Callable[[], bool]) -> None:
    wait_for(lambda: look() or None, seconds=30, otherwise=lambda: what)


def ask(broker: Broker, inbox: Inbox, columns: dict[str, str]) -> None:
    with broker.channel() as channel:
        request = Request(inbox.key, "airline_on_time", "planes", "run", {}, columns)
        send_request(channel, QUEUE, request, LIMIT)


def remove(stack: Stack, broker: Broker) -> None:
    """Cut every connection to the virtual host and lose its queues."""
    broker_api.call(stack.layout, "DELETE", f"/vhosts/{broker.vhost}")


def make(stack: Stack, broker: Broker) -> None:
    broker_api.call(stack.layout, "PUT", f"/vhosts/{broker.vhost}", {})
    everything = {"configure": ".*", "write": ".*", "read": ".*"}
    path = f"/permissions/{broker.vhost}/{broker.login}"
    broker_api.call(stack.layout, "PUT", path, everything)


def test_it_answers_with_every_plane_of_the_data_set(
    broker: Broker, staging: Staging, inbox: Inbox, tmp_path: Path
) -> None:
    with service(url_of(broker), tmp_path / "log"):
        eventually("it never took requests", lambda: is_served(url_of(broker), QUEUE))
        ask(broker, inbox, COLUMNS)
        waiting(broker, reply_queue(inbox.key), 4)

    assert taken(broker, inbox) == 4
    assert inbox.missing == []
    with flight_data.planes().open(newline="") as file:
        known = [(row["tailnum"], row["manufacturer"], row["year"]) for row in csv.DictReader(file)]
    found = staged(staging, inbox, columns=COLUMNS)
    assert [(r["tailnum"], r["manufacturer"], str(r["year"] or "NA")) for r in found] == known
    assert len(known) == 3322


def test_a_column_there_is_not_is_refused_with_those_there_are(
    broker: Broker, inbox: Inbox, tmp_path: Path
) -> None:
    with service(url_of(broker), tmp_path / "log"):
        eventually("it never took requests", lambda: is_served(url_of(broker), QUEUE))
        ask(broker, inbox, {"wings": "int64"})
        waiting(broker, reply_queue(inbox.key), 1)

    taken(broker, inbox)
    assert "got wings; allowed are tailnum, year" in inbox.failed


def test_a_broker_that_is_not_there_yet_or_goes_away_is_waited_for(
    stack: Stack, broker: Broker, tmp_path: Path
) -> None:
    url, log = url_of(broker), tmp_path / "log"
    remove(stack, broker)
    with service(url, log) as process:
        eventually("it said nothing", lambda: "Trying again in" in log.read_text())
        make(stack, broker)
        eventually("it never took requests", lambda: is_served(url, QUEUE))

        remove(stack, broker)
        make(stack, broker)
        eventually("it did not come back", lambda: is_served(url, QUEUE))
        assert process.poll() is None

    said = log.read_text()
    assert said.count("Waiting for requests on queue 'planes.lookup'") == 2
    assert f"broker {broker.host}:{broker.port}, virtual host {broker.vhost!r}: " in said
    assert broker.password not in said
    assert "Traceback" not in said


def test_a_queue_that_is_removed_is_made_again(broker: Broker, tmp_path: Path) -> None:
    url, log = url_of(broker), tmp_path / "log"
    with service(url, log):
        eventually("it never took requests", lambda: is_served(url, QUEUE))
        with broker.channel() as channel:
            channel.queue_delete(QUEUE)
        eventually("it was not noticed", lambda: "the queue was removed" in log.read_text())
        eventually("it did not come back", lambda: is_served(url, QUEUE))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_told_to_end_it_ends_well(broker: Broker, tmp_path: Path, number: signal.Signals) -> None:
    with service(url_of(broker), tmp_path / "log") as process:
        eventually("it never took requests", lambda: is_served(url_of(broker), QUEUE))
        process.send_signal(number)

        assert process.wait(10) == 0
    assert not is_served(url_of(broker), QUEUE)
    assert f"Told to end by {number.name}" in (tmp_path / "log").read_text()


def test_told_to_end_while_its_broker_is_away_it_ends_well(stack: Stack, tmp_path: Path) -> None:
    nowhere, log = f"amqp://u:S3CR3T@127.0.0.1:{stack.ports.webhook}/v", tmp_path / "log"
    with service(nowhere, log) as process:
        eventually("it said nothing", lambda: "Trying again in" in log.read_text())
        process.terminate()

        assert process.wait(10) == 0
    assert "ConnectionRefusedError" in log.read_text()
    assert "S3CR3T" not in log.read_text()


def test_without_a_url_it_says_which_variable_is_missing(tmp_path: Path) -> None:
    with service("", tmp_path / "log") as process:
        assert process.wait(10) == 1
    assert (tmp_path / "log").read_text().startswith("BROKER_URL: That is no URL of a broker")


def test_an_error_of_the_handler_is_not_taken_for_one_of_the_broker(
    broker: Broker, inbox: Inbox, queue: str
) -> None:
    def broken(_: Request) -> Iterator[dict[str, Any]]:
        raise ConnectionError("the database of the service")
        yield {}

    asked(broker, inbox, queue)
    with pytest.raises(ConnectionError, match="the database of the service"):
        serve(url_of(broker), queue, broken)
    waiting(broker, queue, 1)


def test_the_stack_starts_it_and_knows_when_it_takes_requests(stack: Stack) -> None:
    try:
        stack.up([planes.NAME])
        assert planes.answers(stack.layout)
    finally:
        stack.stop([planes.NAME])
    assert not planes.answers(stack.layout)
