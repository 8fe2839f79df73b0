"""Kill -9 of each process of the stack, idle and under a run: all returns, nothing is lost."""

from __future__ import annotations

import os
import signal

import pytest

from embedded_stack.stack import Stack
from tests.e2e.live import Live, eventually

SERVICES = [
    "postgres",
    "store",
    "airflow-scheduler",
    "airflow-api-server",
    "airflow-dag-processor",
    "airflow-triggerer",
]
CARRIERS = "SELECT count(*), count(DISTINCT carrier) FROM results.patient__flown WHERE period = %s"


@pytest.mark.parametrize("service", SERVICES)
def test_kill_while_a_run_is_under_way(live: Live, stack: Stack, service: str) -> None:
    day = f"2013-07-{SERVICES.index(service) + 1:02d}"
    with live.switch(day, "wait"):
        run_id = live.trigger("patient", period=day)
        live.await_task("patient", run_id, "compute", "running")
        _kill(stack, service)
        stack.up()
    live.forget_connections()
    assert _ended(live, run_id) == "success"
    rows, carriers = live.rows(CARRIERS, day)[0]
    assert rows == carriers > 0


def test_kill_all_while_idle(live: Live, stack: Stack) -> None:
    live.run("patient", period="2013-07-19")
    before = live.rows("SELECT count(*) FROM reporting.release")
    for service in (*SERVICES, "weather", "mail-sink", "webhook-sink"):
        _kill(stack, service)
    stack.up()
    live.forget_connections()
    assert live.rows("SELECT count(*) FROM reporting.release") == before
    run_id = live.trigger("patient", period="2013-07-20")
    assert _ended(live, run_id) == "success"


def _kill(stack: Stack, service: str) -> None:
    pids = {found.name: found.pid for found in stack.status()}
    pid = pids[service]
    assert pid is not None
    os.kill(pid, signal.SIGKILL)


def _ended(live: Live, run_id: str) -> str:
    from reporting.errors import ReportError

    def look() -> str | None:
        try:
            state = str(live.api.run("patient", run_id)["state"])
        except ReportError:
            return None
        return state if state in ("success", "failed") else None

    return eventually("end of the run", look, seconds=240)
