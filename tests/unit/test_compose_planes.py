"""The planes service in containers and on the embedded stack: one address, one queue, no secret."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pika
import pytest

from embedded_stack import container_queue, planes
from embedded_stack.container_init import layout_of
from embedded_stack.credentials import Credentials
from embedded_stack.layout import Layout
from embedded_stack.ports import Ports
from embedded_stack.service import LaunchOrder
from sample_services.planes import QUEUE, URL
from tests.compose_project import services
from tests.rabbitmq_stand_in import stand_in

pytestmark = pytest.mark.unit


def test_it_finds_the_broker_as_the_embedded_one_would() -> None:
    init = {name: str(value) for name, value in services()["init"]["environment"].items()}

    assert services()["planes"]["environment"] == {URL: planes.broker_url(layout_of(init))}


@pytest.mark.parametrize("takes", [True, False])
def test_its_health_is_that_it_takes_requests(
    monkeypatch: pytest.MonkeyPatch, *, takes: bool
) -> None:
    asked: list[str] = []
    check = services()["planes"]["healthcheck"]["test"]
    monkeypatch.setattr(sys, "argv", check[3:])
    monkeypatch.setenv(URL, "amqp://u:p@broker/v")

    def is_served(*given: str) -> bool:
        asked.extend(given)
        return takes

    monkeypatch.setattr(container_queue, "is_served", is_served)

    assert container_queue.main() == (0 if takes else 1)
    assert asked == ["amqp://u:p@broker/v", QUEUE]


def test_a_moved_broker_is_another_order_and_so_a_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in(monkeypatch)
    layout = Layout(tmp_path, Ports(), Credentials())
    moved = replace(layout, ports=replace(layout.ports, broker=12_345))
    orders = [LaunchOrder.of(planes.service(each), tmp_path).to_json() for each in (layout, moved)]

    assert orders[0] != orders[1]
    assert "127.0.0.1:12345/reports" in orders[1]


def test_a_password_with_any_letters_arrives_whole(tmp_path: Path) -> None:
    credentials = replace(Credentials(), broker_password="p@ss/w:rd %2F")
    url = planes.broker_url(Layout(tmp_path, Ports(), credentials))

    login: Any = pika.URLParameters(url).credentials
    assert login.password == "p@ss/w:rd %2F"
