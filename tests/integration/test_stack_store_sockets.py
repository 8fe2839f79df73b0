"""Sockets the store leaves in /tmp: ours are removed, those in use and those of others are not."""

import os
import socket
from pathlib import Path

import pytest

from embedded_stack import store_sockets
from embedded_stack.called_as import CalledAs
from embedded_stack.errors import StackError
from embedded_stack.ports import Ports

pytestmark = pytest.mark.integration


@pytest.fixture
def sockets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ports:
    """Ports of a killed store, with its files in a folder of the test."""
    ports = Ports.free()
    usual = store_sockets._sockets
    monkeypatch.setattr(
        store_sockets,
        "_sockets",
        lambda ports: ((name, tmp_path / path.name, port) for name, path, port in usual(ports)),
    )
    for _, path, _ in store_sockets._sockets(ports):
        path.touch()
    return ports


def test_what_a_killed_store_left_is_removed(sockets: Ports, tmp_path: Path) -> None:
    assert len(list(tmp_path.iterdir())) == len(store_sockets.PARTS)

    store_sockets.remove_leftovers(sockets)

    assert list(tmp_path.iterdir()) == []


def test_a_socket_whose_port_has_a_listener_stays(sockets: Ports, tmp_path: Path) -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", sockets.s3 + 10_000))
        listener.listen()
        store_sockets.remove_leftovers(sockets)

    assert [path.name for path in tmp_path.iterdir()] == [
        f"seaweedfs-s3-grpc-{sockets.s3 + 10_000}.sock"
    ]


def test_files_of_another_user_are_refused_with_a_way_out(
    sockets: Ports, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: mine + 1)

    with pytest.raises(StackError, match="another user has them") as caught:
        store_sockets.demand_replaceable(sockets, CalledAs("make demo"))

    assert all(str(path) in str(caught.value) for path in tmp_path.iterdir())
    *settings, make, target = str(caught.value).splitlines()[-1].split()
    assert (len(settings), make, target) == (len(store_sockets.PARTS), "make", "demo")


def test_our_own_files_are_no_reason_to_refuse(
    sockets: Ports, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    for path in tmp_path.iterdir():
        os.chown(path, 12345, -1) if os.getuid() == 0 else path.unlink()

    store_sockets.demand_replaceable(sockets, CalledAs())
