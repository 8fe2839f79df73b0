"""Brokers of two stacks side by side, and one whose ports are moved or taken."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from embedded_stack import broker
from embedded_stack.errors import StackError
from embedded_stack.ports import Ports, is_free
from embedded_stack.stack import Stack
from tests.integration.broker_queues import demand_rabbitmq, publish, take_all

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def stacks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Stack, Stack]]:
    demand_rabbitmq()
    first, second = (Stack(tmp_path_factory.mktemp(name), Ports.free()) for name in ("a", "b"))
    try:
        for stack in (first, second):
            stack.up([broker.NAME])
        yield first, second
    finally:
        first.down()
        second.down()


def test_two_brokers_know_nothing_of_each_other(stacks: tuple[Stack, Stack]) -> None:
    first, second = stacks
    publish(first, "mail", [b"of the first"])
    publish(second, "mail", [b"of the second"])

    assert take_all(first, "mail") == [b"of the first"]
    first.down()
    assert take_all(second, "mail") == [b"of the second"]
    first.up([broker.NAME])


def test_a_taken_port_is_named_with_the_command_that_moves_it(tmp_path: Path) -> None:
    ports = Ports.free()
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", ports.broker))
        holder.listen()
        with pytest.raises(StackError) as caught:
            Stack(tmp_path / "home", ports).up([broker.NAME])

    text = str(caught.value)
    assert f"{ports.broker}, REPORTS_PORT_BROKER: broker needs it, held by" in text
    assert text.splitlines()[-1].split()[0].startswith("REPORTS_PORT_BROKER=")


def test_moved_it_takes_its_messages_along(stacks: tuple[Stack, Stack]) -> None:
    stack, _ = stacks
    publish(stack, "moving", [b"along"])
    free = Ports.free()
    moved = replace(stack.ports, broker=free.broker, broker_admin=free.broker_admin)
    there = Stack(stack.home, moved)

    there.up([broker.NAME])

    assert take_all(there, "moving") == [b"along"]
    assert is_free(stack.ports.broker)
    assert is_free(stack.ports.broker_admin)
