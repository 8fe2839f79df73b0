"""The broker of the stack: keeps what it confirmed, is closed to others, and leaves nothing."""

from __future__ import annotations

import os
import signal
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pika
import psutil
import pytest
from pika.exceptions import AMQPError, ChannelClosedByBroker

from embedded_stack import broker, broker_api
from embedded_stack.conditions import wait_for
from embedded_stack.errors import StackError
from embedded_stack.ports import Ports
from embedded_stack.stack import Stack
from tests.integration.broker_queues import (
    channel,
    demand_rabbitmq,
    publish,
    take_all,
    until_registered,
    until_up,
)

pytestmark = pytest.mark.integration
BODIES = [f"message {number}".encode() for number in range(50)]


@pytest.fixture(scope="module")
def person(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The home folder of the person who starts the stack."""
    with pytest.MonkeyPatch.context() as patch:
        home = tmp_path_factory.mktemp("person")
        patch.setenv("HOME", str(home))
        yield home


@pytest.fixture(scope="module")
def stack(person: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    demand_rabbitmq()
    assert person.exists()
    stack = Stack(tmp_path_factory.mktemp("broker") / "it's a 100% ü", Ports.free())
    try:
        stack.up([broker.NAME])
        yield stack
    finally:
        stack.down()


def pid(stack: Stack) -> int:
    found = next(status.pid for status in stack.status() if status.name == broker.NAME)
    assert found is not None
    return found


def family(stack: Stack) -> list[psutil.Process]:
    """The broker and what it started."""
    emulator = psutil.Process(pid(stack))
    return [emulator, *emulator.children(recursive=True)]


def test_killed_it_comes_back_with_everything_it_confirmed(stack: Stack) -> None:
    publish(stack, "classic", BODIES, **{"x-queue-type": "classic"})
    publish(stack, "kept", BODIES)
    until_registered(stack, "kept")
    killed = pid(stack)
    os.kill(killed, signal.SIGKILL)

    until_up(stack)

    assert pid(stack) != killed
    assert take_all(stack, "kept") == BODIES
    assert take_all(stack, "classic") == BODIES


def test_data_outlive_down_and_up(stack: Stack) -> None:
    publish(stack, "overnight", BODIES)
    stack.down()
    stack.up([broker.NAME])

    assert take_all(stack, "overnight") == BODIES


def test_a_killed_supervisor_leaves_one_broker_with_all_messages(stack: Stack) -> None:
    publish(stack, "orphaned", BODIES)
    until_registered(stack, "orphaned")
    before = family(stack)
    os.kill(int((stack.home / "run" / "supervisord.pid").read_text()), signal.SIGKILL)

    stack.up([broker.NAME])

    assert [process for process in before if process.is_running()] == []
    assert take_all(stack, "orphaned") == BODIES


def test_up_again_changes_nothing(stack: Stack) -> None:
    before, began = pid(stack), time.monotonic()
    stack.up([broker.NAME])

    assert pid(stack) == before
    assert time.monotonic() - began < 5


def test_what_nobody_can_handle_becomes_a_dead_letter_with_its_reason(stack: Stack) -> None:
    publish(stack, "dead", [])
    publish(
        stack,
        "poisoned",
        [b"poison"],
        **{
            "x-delivery-limit": 2,
            "x-dead-letter-exchange": "",
            "x-dead-letter-routing-key": "dead",
            "x-dead-letter-strategy": "at-least-once",
            "x-overflow": "reject-publish",
        },
    )
    with channel(stack) as opened:
        tries = 0
        for method, _, _ in opened.consume("poisoned", inactivity_timeout=3):
            if method is None or method.delivery_tag is None:
                break
            tries += 1
            opened.basic_nack(method.delivery_tag, requeue=True)
        opened.cancel()
        _, properties, body = opened.basic_get("dead", auto_ack=True)

    assert (tries, body) == (3, b"poison")
    assert properties
    assert "'reason': 'delivery_limit'" in str(properties.headers)


def test_a_queue_nobody_asks_for_any_more_goes_away(stack: Stack) -> None:
    publish(stack, "brief", [b"unread"], **{"x-expires": 1_000})

    def gone() -> bool | None:
        names = {queue["name"] for queue in broker_api.call(stack.layout, "GET", "/queues/reports")}
        return True if "brief" not in names else None

    wait_for(gone, seconds=20, otherwise=lambda: "the queue is still there")
    with pytest.raises(ChannelClosedByBroker, match="NOT_FOUND"), channel(stack) as opened:
        opened.queue_declare("brief", passive=True)


@pytest.mark.parametrize("login", [("guest", "guest"), ("reports", "guess"), ("reports", "")])
def test_nobody_gets_in_without_the_password(stack: Stack, login: tuple[str, str]) -> None:
    parameters = pika.ConnectionParameters(
        "127.0.0.1", stack.ports.broker, "/", pika.PlainCredentials(*login)
    )

    with pytest.raises(AMQPError):
        pika.BlockingConnection(parameters)


def test_the_interface_asks_for_the_password_too(stack: Stack) -> None:
    url = f"http://127.0.0.1:{stack.ports.broker_admin}/api/overview"

    with pytest.raises(urllib.error.HTTPError, match="401"):
        urllib.request.urlopen(url, timeout=5)


def test_a_foreign_password_is_told_apart_from_a_broker_that_is_away(stack: Stack) -> None:
    other = replace(
        stack.layout, credentials=replace(stack.layout.credentials, broker_password="x")
    )

    with pytest.raises(StackError, match="does not accept the password of its user reports"):
        broker.answers(other)
    assert not broker.answers(replace(stack.layout, ports=Ports.free()))


def test_a_virtual_host_that_was_removed_is_made_again(stack: Stack) -> None:
    broker_api.call(stack.layout, "DELETE", "/vhosts/reports")
    with pytest.raises(AMQPError):
        broker.connect(stack.layout)

    stack.up([broker.NAME])

    broker.connect(stack.layout).close()


def test_it_listens_at_its_two_ports_on_loopback_and_nowhere_else(stack: Stack) -> None:
    listeners = {
        tuple(connection.laddr)
        for process in family(stack)
        for connection in process.net_connections("tcp")
        if connection.status == psutil.CONN_LISTEN
    }

    ports = (stack.ports.broker, stack.ports.broker_admin)
    assert listeners == {("127.0.0.1", port) for port in ports}


def test_down_leaves_no_process_no_daemon_and_no_file_elsewhere(stack: Stack, person: Path) -> None:
    running = family(stack)
    names = {process.name() for process in running}
    stack.down()

    assert "beam.smp" in names
    assert "epmd" not in names
    assert psutil.wait_procs(running, timeout=5)[1] == []
    assert [process.name() for process in psutil.process_iter() if _works_in(process, stack)] == []
    assert list(person.iterdir()) == []


def _works_in(process: psutil.Process, stack: Stack) -> bool:
    try:
        return Path(process.cwd()).is_relative_to(stack.home)
    except psutil.Error:
        return False
