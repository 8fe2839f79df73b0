"""Kill -9 of a task: with retries left it publishes, without any the run is settled."""

from __future__ import annotations

import os
import signal

import psutil
import pytest

from tests.e2e.live import Live, eventually

# By params, because a pause makes a run one of a special choice.
CARRIERS = (
    "SELECT count(*), count(DISTINCT carrier) FROM results.patient__flown__by_params "
    "WHERE period = %s"
)


def test_killed_fetch_is_tried_again(live: Live) -> None:
    run_id = live.trigger("patient", period="2013-03-01", pause=4)
    live.kill("patient", run_id, "fetch_flights")
    assert live.ended("patient", run_id) == "success"
    assert live.task("patient", run_id, "fetch_flights")["try_number"] == 2
    rows, carriers = live.rows(CARRIERS, "2013-03-01")[0]
    assert rows == carriers > 0


def test_killed_compute_is_tried_again(live: Live) -> None:
    with live.switch("2013-03-02", "wait"):
        run_id = live.trigger("patient", period="2013-03-02")
        live.kill("patient", run_id, "compute")
    assert live.ended("patient", run_id) == "success"
    assert live.task("patient", run_id, "compute")["try_number"] == 2
    rows, carriers = live.rows(CARRIERS, "2013-03-02")[0]
    assert rows == carriers > 0


@pytest.mark.parametrize("task", ["fetch_flights", "compute"])
def test_killed_without_retries_is_compensated_and_told(live: Live, task: str) -> None:
    """F5: the alert goes out from a place that does not live in the dead process."""
    period = {"fetch_flights": "2013-03-03", "compute": "2013-03-04"}[task]
    with live.switch(period, "wait"):
        run_id = live.trigger("hasty", period=period, pause=3)
        live.kill("hasty", run_id, task)
        assert live.ended("hasty", run_id) == "failed"
    states = live.states("hasty", run_id)
    assert (states[task], states["compensate"]) == ("failed", "success")
    for told in (live.mails(run_id), live.slacks(run_id)):
        assert len(told) == 1
        assert "killed" in told[0]
        assert "possibly out of memory" in told[0]
    assert live.rows("SELECT 1 FROM reporting.claim WHERE run_id = %s", run_id) == []


def test_killed_worker_is_found_by_its_heartbeat(live: Live) -> None:
    """The supervisor of the task dies with it, so nobody is left to report the end."""
    with live.switch("2013-03-05", "wait"):
        run_id = live.trigger("patient", period="2013-03-05")
        pid = live.await_task("patient", run_id, "compute", "running")["pid"]
        task = psutil.Process(pid)
        supervisor = task.parent()
        assert supervisor is not None
        for process in (supervisor.pid, pid):
            os.kill(process, signal.SIGKILL)
        eventually(
            "the lost task to be found",
            lambda: live.task("patient", run_id, "compute")["try_number"] == 2,
        )
    assert live.ended("patient", run_id) == "success"
    rows, carriers = live.rows(CARRIERS, "2013-03-05")[0]
    assert rows == carriers > 0
