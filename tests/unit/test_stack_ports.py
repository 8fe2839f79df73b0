"""Ports move by variables, and bad values are refused with the range that is allowed."""

from dataclasses import astuple

import pytest

from embedded_stack.errors import StackError
from embedded_stack.ports import GRPC_OFFSET, Ports

pytestmark = pytest.mark.unit


def test_a_variable_moves_one_port_and_leaves_the_rest() -> None:
    ports = Ports.from_environment({"REPORTS_PORT_WEB": "8081", "REPORTS_HOME": "elsewhere"})

    assert ports == Ports(web=8081)


@pytest.mark.parametrize("text", ["", "web", "0", "-1", "55536", "8080 ", "8080.0"])
def test_a_bad_port_is_refused_by_name(text: str) -> None:
    with pytest.raises(StackError, match=r"REPORTS_PORT_S3: got .* allowed is .* 1 to 55535"):
        Ports.from_environment({"REPORTS_PORT_S3": text})


def test_the_variables_of_ports_give_the_same_ports_again() -> None:
    ports = Ports(web=1, mail=2)

    assert Ports.from_environment(ports.to_environment()) == ports


def test_no_two_default_listeners_share_a_port() -> None:
    ports = Ports()
    all_ports = [port for name in vars(ports) for port in ports.listeners(name)]

    assert len(all_ports) == len(set(all_ports)) > len(astuple(ports))


def test_the_store_also_takes_the_grpc_twin() -> None:
    ports = Ports()

    assert ports.listeners("s3") == (ports.s3, ports.s3 + GRPC_OFFSET)
    assert ports.listeners("web") == (ports.web,)
