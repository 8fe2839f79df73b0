"""Ports of others: all are named at once, and before anything is stopped or written."""

import os
import shlex
import socket
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from embedded_stack import catalogue, kept_ports, port_check, port_holders
from embedded_stack.called_as import CalledAs
from embedded_stack.control import Control
from embedded_stack.credentials import Credentials
from embedded_stack.errors import StackError
from embedded_stack.free_ports import moved_to_free
from embedded_stack.layout import Layout
from embedded_stack.ports import Ports, is_free
from embedded_stack.progress import Progress
from embedded_stack.stack import Stack

pytestmark = pytest.mark.integration


@pytest.fixture
def taken() -> Iterator[Ports]:
    """Ports of which another program holds two: the UI's, and the store's gRPC twin."""
    ports = Ports.free()
    with socket.socket() as web, socket.socket() as grpc:
        for holder, port in ((web, ports.web), (grpc, ports.s3 + 10_000)):
            holder.bind(("127.0.0.1", port))
            holder.listen()
        yield ports


def refusal(stack: Stack) -> str:
    with pytest.raises(StackError) as caught:
        stack.up()
    return str(caught.value)


def test_all_are_named_with_variable_service_and_holder(taken: Ports, tmp_path: Path) -> None:
    text = refusal(Stack(tmp_path / "home", taken))

    assert "2 ports are in use on 127.0.0.1" in text
    holder = f"(process {os.getpid()} in {Path.cwd()})"
    assert f"{taken.web}, REPORTS_PORT_WEB: airflow-api-server needs it, held by " in text
    assert f"{taken.s3 + 10_000}, REPORTS_PORT_S3 (REPORTS_PORT_S3 is {taken.s3}, and" in text
    assert text.count(holder) == 2


def test_the_command_that_is_shown_moves_all_of_them(taken: Ports, tmp_path: Path) -> None:
    called = CalledAs("make demo PERIOD=2013-07-04", {"REPORTS_PORT_MAIL": str(taken.mail)})
    text = refusal(Stack(tmp_path / "home", taken, called=called))

    *settings, make, target, period = shlex.split(text.splitlines()[-1])
    asked = dict(setting.split("=") for setting in settings)
    assert (make, target, period) == ("make", "demo", "PERIOD=2013-07-04")
    assert set(asked) == {"REPORTS_PORT_MAIL", "REPORTS_PORT_WEB", "REPORTS_PORT_S3"}
    moved = Ports.from_environment(asked, taken)
    assert replace(moved, web=taken.web, s3=taken.s3) == taken
    port_check.demand_distinct(moved, called)
    assert all(is_free(port) for name in ("web", "s3") for port in moved.listeners(name))


def test_above_the_highest_port_the_search_goes_on_below() -> None:
    highest = Ports(web=55_535)

    assert 10_000 <= moved_to_free(highest, ["web"])["web"] < 22_000


def test_a_refused_first_start_leaves_nothing_but_the_lock(taken: Ports, tmp_path: Path) -> None:
    home = tmp_path / "home"
    refusal(Stack(home, taken))

    assert [path.name for path in home.rglob("*") if path.is_file()] == ["stack.lock"]
    assert home.stat().st_mode & 0o777 == 0o700


def test_one_port_for_two_services_is_refused_before_anything(tmp_path: Path) -> None:
    ports = Ports.free()
    clash = replace(ports, web=ports.postgres)
    called = CalledAs(variables={"REPORTS_PORT_WEB": str(ports.postgres)})
    text = refusal(Stack(tmp_path / "home", clash, called=called))

    assert f"REPORTS_PORT_WEB and REPORTS_PORT_POSTGRES both take port {ports.postgres}" in text
    assert text.splitlines()[-1].split()[1:] == ["make", "up"]
    assert text.splitlines()[-1].split()[0] != f"REPORTS_PORT_WEB={ports.postgres}"
    assert kept_ports.read(tmp_path / "home") is None


def test_a_port_that_is_the_twin_of_another_is_refused() -> None:
    clash = replace(Ports(), web=Ports().s3 + 10_000)

    with pytest.raises(StackError, match=r"WEB and REPORTS_PORT_S3 both take port 18333 .*is 8333"):
        port_check.demand_distinct(clash, CalledAs())


def test_what_the_stack_itself_holds_is_not_in_its_way(
    taken: Ports, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    layout = Layout(tmp_path, taken, Credentials())
    control = Control(layout, Progress(lambda _: None))
    monkeypatch.setattr(Control, "_own_processes", lambda _: {os.getpid()})

    control.demand_startable(catalogue.all_services(layout))


def test_a_holder_that_ends_while_it_is_looked_at_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    process = psutil.Popen(["true"])
    process.wait()
    ports = Ports.free()
    seen = iter([{ports.web: process.pid}, {}])
    monkeypatch.setattr(port_check, "holders", lambda: next(seen))
    monkeypatch.setattr(port_check, "is_free", lambda _: False)

    port_check.demand_free(ports, {"airflow-api-server": ["web"]}, CalledAs())

    assert next(seen, None) is None


def test_a_holder_that_is_gone_or_hidden_is_to_be_looked_up() -> None:
    process = psutil.Popen(["true"])
    process.wait()

    assert "ss -ltnp 'sport = :80'" in port_holders.holder_in_words(80, None)
    assert "ss -ltnp 'sport = :80'" in port_holders.holder_in_words(80, process.pid)
