"""The file of a report is broken, or removed, while a run works.

Until the file is mended, Airflow starts no further task of the run and looks at no time limit.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from reporting.core.run import RunId
from tests.e2e import fragile
from tests.e2e.conftest import own_dags
from tests.e2e.live import Live, eventually

SOURCE = Path(fragile.__file__).read_text(encoding="utf-8")
DAYS = {"broken": "2013-12-01", "gone": "2013-12-02", "mended": "2013-12-03"}
LOST = ("broken", "gone")
CLOSED = "SELECT 1 FROM reporting.compensation WHERE run_id = %s AND step = 'compensate'"
CLAIM = "SELECT 1 FROM reporting.claim WHERE run_id = %s"
EXPIRE = "UPDATE reporting.staged_run SET keep_until = now() WHERE run_id = %s RETURNING 1"


@dataclass(frozen=True)
class Played:
    """What was done.

    Attributes:
        live: the stack.
        runs: run id per report.
    """

    live: Live
    runs: dict[str, str]

    def file(self, report: str) -> Path:
        """Return where Airflow reads the report."""
        return own_dags(self.live.home) / f"{report}.py"

    def is_stale(self, report: str) -> bool:
        """Say whether Airflow has noticed that it cannot read the report."""
        return bool(self.live.api.get(f"dags/{report}")["is_stale"])

    def mend(self, report: str) -> None:
        """Write the file as it was, and wait until Airflow has read it."""
        self.file(report).write_text(SOURCE, encoding="utf-8")
        eventually(f"{report} to be read", lambda: not self.is_stale(report))


@pytest.fixture(scope="module")
def played(live: Live) -> Iterator[Played]:
    """Break and remove files while `compute` works, and mend one of them."""
    played = Played(live, {})
    for report in DAYS:
        played.file(report).write_text(SOURCE, encoding="utf-8")
    eventually("the reports to be known", lambda: _known(live) >= set(DAYS))
    with ExitStack() as switches:
        for day in DAYS.values():
            switches.enter_context(live.switch(day, "wait"))
        played.runs.update({r: live.trigger(r, period=day) for r, day in DAYS.items()})
        for day in DAYS.values():
            reached = (live.home / "switches" / day).with_suffix(fragile.REACHED)
            eventually(f"compute of {day} to work", reached.exists)
        for report in ("broken", "mended"):
            played.file(report).write_text("raise ValueError('half written')\n", encoding="utf-8")
        played.file("gone").unlink()
        eventually("the files to be missed", lambda: all(map(played.is_stale, DAYS)))
        live.janitor()
        assert live.api.run("mended", played.runs["mended"])["state"] == "running"
        for report in LOST:
            _settled(live, report, played.runs[report])
    yield played
    for report in DAYS:
        played.file(report).unlink(missing_ok=True)


def _known(live: Live) -> set[str]:
    return {dag["dag_id"] for dag in live.api.pages("dags", "dags")}


def _settled(live: Live, report: str, run_id: str) -> None:
    def is_settled() -> bool:
        live.janitor()
        return bool(live.rows(CLOSED, run_id))

    eventually(f"the run of {report} to be settled", is_settled)


@pytest.mark.parametrize("report", LOST)
def test_a_run_that_stands_still_is_ended_undone_and_told_once(played: Played, report: str) -> None:
    live, run_id = played.live, played.runs[report]
    live.janitor()

    assert live.api.run(report, run_id)["state"] == "failed"
    for told in (live.mails(run_id), live.slacks(run_id)):
        assert len(told) == 1
        assert "Airflow cannot read the file of the report, or it is gone" in told[0]
        assert f"reports clear {report} {run_id} compute" in told[0]
    assert live.rows(CLAIM, run_id) == []
    assert live.rows("SELECT 1 FROM reporting.release WHERE run_id = %s", run_id) == []


def test_of_a_report_that_is_gone_nothing_is_left(played: Played) -> None:
    live, run = played.live, RunId("gone", played.runs["gone"])
    assert live.keys("staging", run.prefix) != []  # it could be put back within `keep_staging`
    assert live.rows(EXPIRE, run.run_id) == [(1,)]
    live.janitor()

    assert live.keys("staging", run.prefix) == live.keys("reports", "gone/") == []


def test_a_run_goes_on_when_the_file_is_mended_in_time(played: Played) -> None:
    live, run_id = played.live, played.runs["mended"]
    played.mend("mended")

    assert live.ended("mended", run_id) == "success"
    assert live.rows("SELECT n FROM results.mended__kept ORDER BY n") == [(1,), (2,), (3,)]
    assert live.task("mended", run_id, "compute")["try_number"] == 1
    assert live.mails(run_id) == live.slacks(run_id) == []


def test_what_was_ended_can_be_cleared_once_the_file_is_mended(played: Played) -> None:
    live, run_id = played.live, played.runs["broken"]
    played.mend("broken")
    live.clear("broken", run_id, "compute")

    assert live.ended("broken", run_id) == "success"
    assert live.task("broken", run_id, "fetch_numbers")["try_number"] == 1
    assert live.rows("SELECT count(*) FROM results.broken__kept") == [(3,)]
