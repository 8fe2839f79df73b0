"""F54: work that outlasts the broker's patience is done once, and its answer arrives."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from embedded_stack import broker_api
from embedded_stack.conditions import wait_for
from embedded_stack.stack import Stack
from reporting.core.service.broker import Broker, reply_queue
from reporting.core.service.inbox import Inbox
from reporting.core.service.seen import Seen, see
from reporting.queues import DEAD
from tests.integration.message_asking import asked, taken
from tests.integration.message_service import waiting

pytestmark = pytest.mark.integration
HEARTBEAT = 1  # seconds; the broker ends a connection that is silent for two of them
LONG = 5.0  # seconds; much longer than the broker's patience


@pytest.fixture
def folder(broker: Broker, queue: str, tmp_path: Path) -> Iterator[Path]:
    """Return where the service notes what it does and is told what to do."""
    url = f"amqp://{broker.login}:{broker.password}@{broker.host}:{broker.port}/{broker.vhost}"
    argv = [f"{url}?heartbeat={HEARTBEAT}", queue, str(tmp_path)]
    process = subprocess.Popen([sys.executable, "-m", "tests.integration.slow_service", *argv])
    yield tmp_path
    process.kill()
    process.wait()


def until_begun(broker: Broker, inbox: Inbox, folder: Path) -> None:
    """Wait until the service works; its sign of life is seen."""

    def look() -> Seen | None:
        with broker.channel() as channel:
            seen = see(channel, inbox.key)
        return seen if seen.signs else None

    assert wait_for(look, seconds=30, otherwise=lambda: "it never began") == Seen(
        has_queue=True, signs=1
    )
    assert (folder / "begun").read_text().split() == [inbox.key]


def until_connected(stack: Stack, broker: Broker, but_not: str) -> list[str]:
    """Return the service's connection, which the heartbeat tells from others, by its name."""

    def look() -> list[str] | None:
        known = broker_api.call(stack.layout, "GET", f"/vhosts/{broker.vhost}/connections")
        found: list[Any] = [one["name"] for one in known if one.get("timeout") == HEARTBEAT]
        return found if len(found) == 1 and found != [but_not] else None

    return wait_for(look, seconds=30, otherwise=lambda: "the service is not connected")


def answered_once(broker: Broker, inbox: Inbox, folder: Path, queue: str) -> None:
    (folder / "end").touch()
    waiting(broker, reply_queue(inbox.key), 1)
    assert taken(broker, inbox) == 1
    assert inbox.missing == []
    waiting(broker, queue, 0)
    waiting(broker, DEAD, 0)
    assert (folder / "begun").read_text().split() == [inbox.key]


def test_f54_a_connection_is_kept_while_the_work_goes_on(
    stack: Stack, broker: Broker, inbox: Inbox, queue: str, folder: Path
) -> None:
    asked(broker, inbox, queue)
    until_begun(broker, inbox, folder)
    before = until_connected(stack, broker, but_not="")
    time.sleep(LONG)  # the passing of time is what is tried
    answered_once(broker, inbox, folder, queue)

    assert until_connected(stack, broker, but_not="") == before


def test_f54_a_request_delivered_again_while_it_is_worked_on_is_the_same_work(
    stack: Stack, broker: Broker, inbox: Inbox, queue: str, folder: Path
) -> None:
    asked(broker, inbox, queue)
    until_begun(broker, inbox, folder)

    (before,) = until_connected(stack, broker, but_not="")
    broker_api.call(stack.layout, "DELETE", f"/connections/{quote(before)}")
    until_connected(stack, broker, but_not=before)
    waiting(broker, queue, 0)  # the request is with the service again
    answered_once(broker, inbox, folder, queue)
