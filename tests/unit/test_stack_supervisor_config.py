"""The supervisor's configuration survives any path and is stable."""

import shlex
from configparser import RawConfigParser
from pathlib import Path

import pytest

from embedded_stack import catalogue, supervisor_config
from embedded_stack.credentials import Credentials
from embedded_stack.errors import StackError
from embedded_stack.layout import Layout
from embedded_stack.ports import Ports
from tests.rabbitmq_stand_in import stand_in

pytestmark = pytest.mark.unit


@pytest.fixture
def layout(monkeypatch: pytest.MonkeyPatch) -> Layout:
    stand_in(monkeypatch)
    return Layout(Path("/tmp/a b/100% it's"), Ports(), Credentials())  # noqa: S108


def test_a_strange_path_arrives_whole(layout: Layout) -> None:
    services = catalogue.all_services(layout)
    parser = RawConfigParser()
    parser.read_string(supervisor_config.render(layout, services.values()))

    for name in services:
        command = parser[f"program:{name}"]["command"].replace("%%", "%")
        assert shlex.split(command)[-1] == str(layout.run / f"{name}.json")
        log = parser[f"program:{name}"]["stdout_logfile"]
        assert log % {} % {} == str(layout.log / f"{name}.log")
        assert parser[f"program:{name}"]["autorestart"] == "true"


def test_the_same_stack_gives_the_same_text(layout: Layout) -> None:
    services = catalogue.all_services(layout)

    assert supervisor_config.render(layout, services.values()) == supervisor_config.render(
        layout, catalogue.all_services(layout).values()
    )


def test_the_supervisor_listens_on_loopback_with_a_password(layout: Layout) -> None:
    parser = RawConfigParser()
    parser.read_string(supervisor_config.render(layout, ()))

    assert parser["inet_http_server"]["port"] == f"127.0.0.1:{layout.ports.supervisor}"
    assert parser["inet_http_server"]["password"] == layout.credentials.supervisor_password


def test_an_unknown_service_is_refused_with_the_known_ones(layout: Layout) -> None:
    with pytest.raises(StackError, match="got mysql; allowed are postgres, store"):
        catalogue.choose(layout, ["postgres", "mysql"])


def test_no_secret_is_on_a_command_line(layout: Layout) -> None:
    secrets = set(vars(layout.credentials).values())

    for service in catalogue.all_services(layout).values():
        assert not any(secret in word for word in service.argv for secret in secrets)
