"""The broker as the stack starts it: closed to others, at home in its folder, absent if it must."""

from dataclasses import replace
from pathlib import Path

import pytest

from embedded_stack import broker, catalogue, planes
from embedded_stack.credentials import Credentials
from embedded_stack.errors import StackError
from embedded_stack.layout import Layout
from embedded_stack.ports import Ports
from embedded_stack.service import LaunchOrder
from embedded_stack.status import ABSENT, read_status
from tests.rabbitmq_stand_in import PROGRAMS, stand_in

pytestmark = pytest.mark.unit


@pytest.fixture
def layout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Layout:
    stand_in(monkeypatch)
    layout = Layout(tmp_path / "it's a ü", Ports(), Credentials())
    layout.make_folders()
    return layout


def order(layout: Layout) -> str:
    return LaunchOrder.of(broker.service(layout), layout.home).to_json()


def test_it_is_alone_and_starts_no_daemon_that_outlives_it(layout: Layout) -> None:
    flags = broker.service(layout).environment["ERL_AFLAGS"].split()
    settings = dict(zip(flags[::2], flags[1::2], strict=True))

    assert settings["-start_epmd"] == settings["-dist_listen"] == "false"
    # With none given, the start asks the daemon and fails.
    assert int(settings["-erl_epmd_port"]) > 0


def test_it_listens_on_loopback_only(layout: Layout) -> None:
    service = broker.service(layout)

    assert service.environment["RABBITMQ_NODE_IP_ADDRESS"] == "127.0.0.1"
    assert service.environment["RABBITMQ_NODE_PORT"] == str(layout.ports.broker)
    assert service.argv[-1] == f'[{{ip,"127.0.0.1"}},{{port,{layout.ports.broker_admin}}}]'
    assert service.ports == ("broker", "broker_admin")


def test_no_path_of_the_home_is_given_to_it(layout: Layout) -> None:
    service = broker.service(layout)

    # Its shells would take it apart; HOME counts too, Erlang keeps a cookie there.
    assert str(layout.home) not in str([*service.argv, *service.environment.values()])
    assert service.environment["HOME"] == service.environment["SYS_PREFIX"] == "/proc/self/cwd"
    assert service.folder == layout.broker


def test_nobody_is_let_in_by_a_password_everybody_knows(layout: Layout) -> None:
    environment = broker.service(layout).environment

    assert environment["RABBITMQ_DEFAULT_USER"] != "guest"
    assert environment["RABBITMQ_DEFAULT_PASS"] == layout.credentials.broker_password


@pytest.mark.parametrize("port", ["broker", "broker_admin"])
def test_a_moved_port_is_another_order_and_so_a_restart(layout: Layout, port: str) -> None:
    moved = replace(layout, ports=replace(layout.ports, **{port: 12_345}))

    assert order(moved) != order(layout) == order(replace(layout))


def test_data_of_another_series_are_refused_and_stay(
    layout: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    broker.prepare(layout)
    broker.prepare(layout)
    newer = PROGRAMS.server.with_name("rabbitmq_server-4.0.5")
    stand_in(monkeypatch, replace(PROGRAMS, server=newer))

    with pytest.raises(StackError, match=r"made by RabbitMQ 3\.10, but the one found is 4\.0\.5"):
        broker.prepare(layout)
    assert (layout.broker / "series").read_text() == "3.10"


def test_without_programs_it_is_known_and_absent(
    layout: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("embedded_stack.supervision.Supervisor.states", lambda _: {})
    stand_in(monkeypatch, None)
    states = {status.name: status.state for status in read_status(layout)}

    assert states.pop(broker.NAME) == states.pop(planes.NAME) == ABSENT
    assert set(states.values()) == {"STOPPED"}
    assert catalogue.choose(layout, [broker.NAME])[broker.NAME].argv == ()
