"""Ports of a running stack: moved, refused, remembered; and what a crash leaves in /tmp."""

import os
import signal
import socket
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from embedded_stack import kept_ports, store_sockets
from embedded_stack.conditions import wait_for
from embedded_stack.errors import StackError
from embedded_stack.ports import Ports, is_free
from embedded_stack.stack import Stack

pytestmark = pytest.mark.integration
SERVICES = ("store", "weather", "mail-sink")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    home = tmp_path_factory.mktemp("moved")
    try:
        Stack(home, Ports.free()).up(SERVICES)
        yield home
    finally:
        now(home).down()


def now(home: Path) -> Stack:
    """The stack as a new shell finds it."""
    kept = kept_ports.read(home)
    assert kept is not None
    return Stack(home, kept)


def pids(home: Path) -> dict[str, int]:
    """The services by name, once the supervisor counts all as started."""

    def look() -> dict[str, int] | None:
        found = {status.name: status.pid for status in now(home).status() if status.pid}
        return found if set(found) == set(SERVICES) else None

    return wait_for(look, seconds=10, otherwise=lambda: f"not running: {now(home).status()}")


def sockets(ports: Ports) -> list[Path]:
    return [path for _, path, _ in store_sockets._sockets(ports) if path.exists()]


def test_a_plain_up_finds_the_stack_where_it_is(home: Path) -> None:
    before = pids(home)

    now(home).up(SERVICES)

    assert pids(home) == before


def test_a_refused_move_changes_nothing(home: Path) -> None:
    before, ports = pids(home), now(home).ports
    files = {path: path.read_bytes() for path in (home / "run").glob("*.json")}
    files |= {path: path.read_bytes() for path in (home / "stack.env", home / "ports.json")}
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        moved = replace(ports, weather=holder.getsockname()[1], s3=Ports.free().s3)
        with pytest.raises(StackError, match=r"port is in use .*\n.*REPORTS_PORT_WEATHER: weather"):
            Stack(home, moved).up(SERVICES)

    assert pids(home) == before
    assert {path: path.read_bytes() for path in files} == files


def test_a_move_restarts_what_it_touches_and_is_kept(home: Path) -> None:
    before, old = pids(home), now(home).ports
    moved = replace(old, weather=Ports.free().weather)

    Stack(home, moved).up(SERVICES)

    assert now(home).ports == moved
    assert is_free(old.weather)
    assert pids(home)["weather"] != before["weather"]
    assert pids(home)["mail-sink"] == before["mail-sink"]


def test_ports_may_trade_places(home: Path) -> None:
    before, old = pids(home), now(home).ports

    Stack(home, replace(old, weather=old.mail, mail=old.weather)).up(SERVICES)

    assert pids(home)["store"] == before["store"]
    assert not {before["weather"], before["mail-sink"]} & set(pids(home).values())


def crash(home: Path) -> None:
    """Kill the supervisor and, before it can clean up, the store."""
    supervisor = int((home / "run" / "supervisord.pid").read_text())
    store = pids(home)["store"]
    os.kill(store, signal.SIGSTOP)
    os.kill(supervisor, signal.SIGKILL)
    os.kill(store, signal.SIGKILL)


def test_after_a_crash_a_move_leaves_no_sockets_behind(home: Path) -> None:
    old = now(home).ports
    assert len(sockets(old)) == len(store_sockets.PARTS)
    crash(home)
    assert sockets(old)

    Stack(home, replace(Ports.free(), weather=old.weather)).up(SERVICES)

    assert sockets(old) == []
    assert sockets(now(home).ports)


def test_after_a_crash_down_removes_the_sockets(home: Path) -> None:
    crash(home)
    assert sockets(now(home).ports)

    now(home).down()

    assert sockets(now(home).ports) == []
