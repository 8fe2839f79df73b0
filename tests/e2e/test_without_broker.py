"""A machine that has no RabbitMQ: everything else comes up, and the sample says what it lacks."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from embedded_stack import broker, planes, rabbitmq_packages
from embedded_stack.layout import CHECKOUT
from embedded_stack.stack import Stack
from embedded_stack.status import ABSENT
from tests.e2e.live import Live
from tests.rabbitmq_stand_in import stand_in

DAY = "2013-03-01"


@pytest.fixture
def said(live: Live, stack: Stack) -> Iterator[list[str]]:
    """Bring the stack up as such a machine would; return what `up` says."""
    lines: list[str] = []
    stack.stop([planes.NAME, broker.NAME])
    with pytest.MonkeyPatch.context() as patched:
        stand_in(patched, None)
        patched.setattr(rabbitmq_packages, "TOOLS", ("no-such-tool",))
        Stack(stack.home, stack.ports, settings=stack.settings, write=lines.append).up()
        yield lines
    stack.up()
    live.forget_connections()


def test_up_and_demo_go_on_and_say_what_is_missing(
    said: list[str], live: Live, stack: Stack
) -> None:
    (line,) = [line for line in said if "without" in line]
    assert "without broker and planes: no RabbitMQ on this machine" in line
    assert "Admin > Connections: id reports_broker" in line
    states = {status.name: status.state for status in stack.status()}
    assert states.pop(broker.NAME) == states.pop(planes.NAME) == ABSENT
    assert set(states.values()) == {"RUNNING"}

    done = subprocess.run(
        [sys.executable, "-m", "sample_services.demo", "--period", DAY],
        env=os.environ | stack.environment() | {"PYTHONPATH": str(CHECKOUT / "include")},
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert "is published INCOMPLETE, without planes, the first of this period." in done.stdout
    assert "  planes: NoConnectionError: Airflow has no connection 'reports_broker'." in done.stdout
    query = "SELECT run_id FROM reporting.release WHERE report = %s AND period = %s"
    (run_id,) = live.rows(query, "airline_on_time", DAY)[0]
    assert live.task("airline_on_time", run_id, "fetch_planes")["try_number"] == 1
    rows = live.rows(
        "SELECT f.manufacturer, f.age, f.flights = c.flights FROM results.airline_on_time__fleet f,"
        " (SELECT sum(flights) AS flights FROM results.airline_on_time__carrier_day"
        "  WHERE period = %s) c WHERE f.period = %s",
        DAY,
        DAY,
    )
    assert rows == [("unknown", "unknown", True)]
