"""A failed run is run again by the janitor, in place, and told of once at the end (R14)."""

from __future__ import annotations

import pytest

from reporting.core.airflow_api import run_path
from reporting.core.run_retry import BY_HAND, OUT_OF_TIME
from tests.e2e.day_jobs import ROWS, DayJobs
from tests.e2e.live import Live, eventually

DOWN = {"status": "failed", "error": "disk full"}
PUBLISHED = "SELECT count(*) FROM reporting.release WHERE run_id = %s"
BEGUN = "SELECT count(*) FROM reporting.run_retry WHERE run_id = %s AND begun_at IS NOT NULL"


@pytest.fixture(autouse=True)
def janitor_at_work(live: Live) -> None:
    """Runs are left to the janitor only where one is at work."""
    live.janitor()


def begun(live: Live, run_id: str) -> int:
    return int(live.rows(BEGUN, run_id)[0][0])


def ended_again(live: Live, run_id: str, times: int) -> str:
    """Let the janitor work until it has run the run again so often; return how that ended."""

    def is_begun() -> bool:
        live.janitor()
        return begun(live, run_id) >= times

    eventually(f"{run_id} to be run again", is_begun)
    return live.ended("again", run_id)


def told(live: Live, run_id: str) -> list[str]:
    """Let the janitor work until the failure is told, then once more; return the mails."""

    def mails() -> list[str]:
        live.janitor()
        return live.mails(run_id)

    eventually(f"{run_id} to be told", mails)
    return mails()


def failed(live: Live, jobs: DayJobs, day: str) -> str:
    """Return a run whose source is down."""
    jobs.says[day] = DOWN
    run_id = live.trigger("again", period=day)
    assert live.ended("again", run_id) == "failed"
    return run_id


def test_a_source_that_comes_back_makes_the_same_run_green(live: Live, jobs: DayJobs) -> None:
    run_id = failed(live, jobs, "2013-10-01")
    plan = live.api.xcom("again", run_id, "compensate", "run_again")
    assert plan.startswith("1 of 2 times, next at ")
    jobs.says["2013-10-01"] = {"status": "done"}

    assert ended_again(live, run_id, 1) == "success"
    assert live.rows(PUBLISHED, run_id) == [(1,)]
    (count,) = live.rows("SELECT count(*) FROM results.again__orders WHERE period = '2013-10-01'")
    assert count == (len(ROWS),)
    live.janitor()
    assert begun(live, run_id) == 1
    assert live.mails(run_id) == []
    assert len(live.audited("clear_dag_run", run_id=run_id)) == 1


def test_a_source_that_stays_down_is_told_once_after_the_last_run(
    live: Live, jobs: DayJobs
) -> None:
    run_id = failed(live, jobs, "2013-10-02")
    for go in (1, 2):
        assert live.mails(run_id) == []
        assert ended_again(live, run_id, go) == "failed"

    (mail,) = told(live, run_id)
    assert "Run again: 2 of 2 times" in mail.splitlines()
    assert "disk full" in mail
    assert begun(live, run_id) == 2
    assert live.rows("SELECT 1 FROM reporting.claim WHERE run_id = %s", run_id) == []
    assert live.task("again", run_id, "fetch_orders")["try_number"] == 3


def test_an_error_that_stays_is_told_at_once(live: Live) -> None:
    with live.switch("2013-10-03", "fail"):
        run_id = live.trigger("again", period="2013-10-03")
        assert live.ended("again", run_id) == "failed"
    (mail,) = live.mails(run_id)
    assert "compute failed with ValueError, not TransientError" in mail

    assert len(told(live, run_id)) == 1
    assert begun(live, run_id) == 0


def test_a_run_that_a_person_ends_is_told_and_not_run_again(live: Live) -> None:
    with live.switch("2013-10-04", "wait"):
        run_id = live.trigger("again", period="2013-10-04")
        live.await_task("again", run_id, "compute", "running")
        live.api.patch(run_path("again", run_id), {"state": "failed"})
        assert live.ended("again", run_id) == "failed"

    (mail,) = told(live, run_id)
    assert OUT_OF_TIME in mail
    assert begun(live, run_id) == 0


def test_a_person_may_call_off_a_run_that_waits_to_be_run_again(live: Live, jobs: DayJobs) -> None:
    run_id = failed(live, jobs, "2013-10-05")
    assert live.mails(run_id) == []
    live.api.patch(run_path("again", run_id), {"state": "failed"})

    (mail,) = told(live, run_id)
    assert BY_HAND in mail
    assert begun(live, run_id) == 0
