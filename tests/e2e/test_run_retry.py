"""A failed run is run again by the janitor, in place, and told of once at the end (R14)."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from reporting.core.airflow_api import run_path
from reporting.core.run_retry import BY_HAND, OUT_OF_TIME
from tests.e2e.day_jobs import ROWS, DayJobs
from tests.e2e.live import Live, eventually

DOWN = {"status": "failed", "error": "disk full"}
PUBLISHED = "SELECT count(*) FROM reporting.release WHERE run_id = %s"
BEGUN = "SELECT count(*) FROM reporting.run_retry WHERE run_id = %s AND begun_at IS NOT NULL"
BACK, DOWN_FOR_GOOD, AN_ERROR, ENDED, CALLED_OFF = DAYS = [f"2013-10-0{n}" for n in range(1, 6)]
TOLD = (DOWN_FOR_GOOD, AN_ERROR, ENDED, CALLED_OFF)


@dataclass(frozen=True)
class Played:
    """One run per day; each failed at first.

    Attributes:
        live: the stack.
        runs: run id per day.
        plan: what the clean-up of the run whose source comes back has left.
        at_first: the mails per day when all had failed and no janitor had looked.
        early: mails about the source that stays down, before it was run for the last time.
    """

    live: Live
    runs: dict[str, str]
    plan: str
    at_first: dict[str, list[str]]
    early: list[str]

    def begun(self, day: str) -> int:
        """Return how often the janitor has run it again."""
        return int(self.live.rows(BEGUN, self.runs[day])[0][0])

    def mails(self, day: str) -> list[str]:
        """Return what was told of it."""
        return self.live.mails(self.runs[day])

    def is_settled(self) -> bool:
        """Let the janitor work, and say whether all is done that it is to do."""
        if self.begun(DOWN_FOR_GOOD) < 2:
            self.early.extend(self.mails(DOWN_FOR_GOOD))
        self.live.janitor()
        return self.begun(BACK) > 0 and all(map(self.mails, TOLD))


@pytest.fixture(scope="module")
def played(live: Live, jobs: DayJobs) -> Played:
    """All runs, failed side by side; the janitor has settled them, and looked once more."""
    live.janitor()  # runs are left to the janitor only where one is at work
    jobs.says.update(dict.fromkeys((BACK, DOWN_FOR_GOOD, CALLED_OFF), DOWN))
    with live.switch(AN_ERROR, "fail"), live.switch(ENDED, "wait"):
        runs = {day: live.trigger("again", period=day) for day in DAYS}
        live.await_task("again", runs[ENDED], "compute", "running")
        live.api.patch(run_path("again", runs[ENDED]), {"state": "failed"})
        states = {day: live.ended("again", run_id) for day, run_id in runs.items()}
    assert states == dict.fromkeys(DAYS, "failed")
    plan = live.api.xcom("again", runs[BACK], "compensate", "run_again")
    played = Played(live, runs, str(plan), {day: live.mails(runs[day]) for day in DAYS}, [])
    live.api.patch(run_path("again", runs[CALLED_OFF]), {"state": "failed"})
    jobs.says[BACK] = {"status": "done"}
    eventually("all to be settled", played.is_settled, seconds=300)
    assert live.ended("again", runs[BACK]) == "success"
    live.janitor()
    return played


def test_a_source_that_comes_back_makes_the_same_run_green(played: Played) -> None:
    live, run_id = played.live, played.runs[BACK]

    assert played.plan.startswith("1 of 2 times, next at ")
    assert live.rows(PUBLISHED, run_id) == [(1,)]
    (count,) = live.rows("SELECT count(*) FROM results.again__orders WHERE period = %s", BACK)
    assert count == (len(ROWS),)
    assert played.begun(BACK) == 1
    assert played.at_first[BACK] == played.mails(BACK) == []
    assert len(live.audited("clear_dag_run", run_id=run_id)) == 1


def test_a_source_that_stays_down_is_told_once_after_the_last_run(played: Played) -> None:
    live, run_id = played.live, played.runs[DOWN_FOR_GOOD]

    assert played.at_first[DOWN_FOR_GOOD] == played.early == []
    (mail,) = played.mails(DOWN_FOR_GOOD)
    assert "Run again: 2 of 2 times" in mail.splitlines()
    assert "disk full" in mail
    assert played.begun(DOWN_FOR_GOOD) == 2
    assert live.rows("SELECT 1 FROM reporting.claim WHERE run_id = %s", run_id) == []
    assert live.task("again", run_id, "fetch_orders")["try_number"] == 3


def test_an_error_that_stays_is_told_at_once(played: Played) -> None:
    (mail,) = played.at_first[AN_ERROR]

    assert "compute failed with ValueError, not TransientError" in mail
    assert played.mails(AN_ERROR) == [mail]
    assert played.begun(AN_ERROR) == 0


def test_a_run_that_a_person_ends_is_told_and_not_run_again(played: Played) -> None:
    (mail,) = played.mails(ENDED)

    assert OUT_OF_TIME in mail
    assert played.begun(ENDED) == 0


def test_a_person_may_call_off_a_run_that_waits_to_be_run_again(played: Played) -> None:
    assert played.at_first[CALLED_OFF] == []
    (mail,) = played.mails(CALLED_OFF)

    assert BY_HAND in mail
    assert played.begun(CALLED_OFF) == 0
