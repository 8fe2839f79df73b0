"""Ports move by variables and are kept; a bad value is refused with what is allowed."""

from dataclasses import astuple
from pathlib import Path

import pytest

from embedded_stack import kept_ports
from embedded_stack.called_as import CalledAs
from embedded_stack.errors import StackError
from embedded_stack.port_check import demand_distinct
from embedded_stack.ports import GRPC_OFFSET, NAMES, Ports

pytestmark = pytest.mark.unit


def test_a_variable_moves_one_port_and_leaves_the_rest() -> None:
    ports = Ports.from_environment({"REPORTS_PORT_WEB": "8081", "REPORTS_HOME": "elsewhere"})

    assert ports == Ports(web=8081)


@pytest.mark.parametrize("text", ["", "web", "0", "-1", "55536", "8080 ", "8080.0"])
def test_a_bad_port_is_refused_by_name(text: str) -> None:
    with pytest.raises(StackError, match=r"REPORTS_PORT_S3: got .* allowed is .* 1 to 55535"):
        Ports.from_environment({"REPORTS_PORT_S3": text})


def test_a_variable_that_moves_nothing_is_refused_with_the_one_that_was_meant() -> None:
    with pytest.raises(
        StackError, match=r"REPORTS_PORT_WEBB moves no port; .*REPORTS_PORT_S3"
    ) as e:
        Ports.from_environment({"REPORTS_PORT_WEBB": "8081"})

    assert "Did you mean REPORTS_PORT_WEB?" in str(e.value)


def test_the_variables_of_ports_give_the_same_ports_again() -> None:
    ports = Ports(web=1, mail=2)

    assert Ports.from_environment(ports.to_environment()) == ports


def test_kept_ports_hold_and_a_variable_wins_over_them(tmp_path: Path) -> None:
    assert kept_ports.read(tmp_path) is None
    kept_ports.keep(tmp_path, Ports(s3=8555, mail=2525))
    kept = kept_ports.read(tmp_path)

    assert Ports.from_environment({}, kept) == Ports(s3=8555, mail=2525)
    assert Ports.from_environment({"REPORTS_PORT_S3": "8333"}, kept) == Ports(mail=2525)


def test_kept_ports_of_another_version_hold_as_far_as_they_go(tmp_path: Path) -> None:
    (tmp_path / "ports.json").write_text('{"web": 8081, "gone": 1}')

    assert kept_ports.read(tmp_path) == Ports(web=8081)


@pytest.mark.parametrize("text", ["", "{", "7", '{"web": "x"}', '{"web": null}'])
def test_damaged_ports_are_refused_by_file(tmp_path: Path, text: str) -> None:
    (tmp_path / "ports.json").write_text(text)

    with pytest.raises(StackError, match=r"ports\.json: no JSON object of ports\. Remove it"):
        kept_ports.read(tmp_path)


def test_no_two_default_listeners_share_a_port() -> None:
    ports = Ports()
    all_ports = [port for name in NAMES for port in ports.listeners(name)]

    assert len(all_ports) == len(set(all_ports)) > len(astuple(ports))
    demand_distinct(ports, CalledAs())


def test_the_store_also_takes_the_grpc_twin() -> None:
    ports = Ports()

    assert ports.listeners("s3") == (ports.s3, ports.s3 + GRPC_OFFSET)
    assert ports.listeners("web") == (ports.web,)


def test_the_command_is_shown_as_it_was_typed_with_its_settings_in_front() -> None:
    environ = {
        "STACK_CALLED_AS": "make demo REPORTS_PORT_WEB=1 PERIOD=2013-01-01",
        "REPORTS_PORT_WEB": "1", "REPORTS_HOME": "/a b", "REPORTS_URL": "x",
    }  # fmt: skip

    assert CalledAs.read(environ, []).with_ports({"mail": 2}) == (
        "REPORTS_PORT_WEB=1 REPORTS_HOME='/a b' REPORTS_PORT_MAIL=2 make demo PERIOD=2013-01-01"
    )


def test_without_make_the_module_is_shown() -> None:
    called = CalledAs.read({}, ["up", "--home", "/a b"])

    assert called.with_ports({"web": 1}) == (
        "REPORTS_PORT_WEB=1 .venv/bin/python -m embedded_stack up --home '/a b'"
    )
