"""Whoever undoes or removes waits for a publish in flight, and a step waits for them (R16)."""

from __future__ import annotations

from concurrent.futures import Future
from datetime import UTC, datetime
from typing import Any

import psycopg
import pytest

from reporting.core.files import ReportFiles
from reporting.core.run import Run, RunId
from reporting.core.saga import Places, compensate, discard_expired
from reporting.core.warehouse import fence
from reporting.core.warehouse.claim import take_claim
from reporting.core.warehouse.fence import is_published, note_held
from reporting.core.warehouse.ledger import CLOSING_STEP, read_entries
from reporting.core.warehouse.publish import publish
from reporting.core.warehouse.release import Edition, Release, find_release
from reporting.core.warehouse.runs import is_open, register_staging
from reporting.definition.tables import Csv
from reporting.errors import TransientError
from tests.integration.beside import Beside, beside
from tests.integration.publishing import data
from tests.integration.reconciling import DAY
from tests.specimens import a_report, a_run

pytestmark = pytest.mark.integration


@pytest.fixture
def run(places: Places, report_name: str) -> Run:
    """Return a run that is about to publish."""
    run = a_run(report_name)
    take_claim(places.warehouse, run)
    register_staging(places.warehouse, run, DAY)
    return run


def published_with(
    places: Places, run: Run, other: Beside, act: Any
) -> tuple[Release, Future[Any]]:
    """Publish; right before the commit the other process does something, and has to wait."""
    report = a_report(name=run.id.report)
    tables = data(report, {"id": 1, "name": "a"})
    files = ReportFiles(places.reports, report.name, run.id.task_key)
    written = files.write(run, tables, (Csv(),))
    doing: list[Future[Any]] = []

    def guard() -> None:
        doing.append(other.begins(act))

    edition = Edition(tables, "f", {}, {}, tuple(written), file_facts=written)
    return publish(places.warehouse, report, run, edition, guard), doing[0]


def test_a_commit_in_flight_is_waited_for_before_a_run_counts_as_unpublished(
    places: Places, run: Run, database: str
) -> None:
    """Airflow has failed the task of a store whose COMMIT is on its way."""

    def decides(at: Places) -> bool:
        return is_published(at.warehouse, run.id, {"store": "failed"})

    with beside(places, database) as other:
        _, decided = published_with(places, run, other, decides)

        assert decided.result()


def test_an_undo_beside_a_commit_in_flight_removes_no_file_of_the_release(
    places: Places, run: Run, database: str
) -> None:
    with beside(places, database) as other:
        release, undone = published_with(places, run, other, lambda at: compensate(at, run.id))

        assert all(entry.is_done for entry in undone.result())
    assert release.files
    assert [key for key in release.files if not places.reports.has(key)] == []


def test_a_publish_that_does_not_end_is_told_and_nothing_is_undone(
    places: Places, run: Run, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick = fence.OPEN.replace("10s", "50ms")
    monkeypatch.setattr(fence, "OPEN", quick)
    note = f"{run.id.prefix}orders/dead/part.parquet"
    places.staging.put(note, b"x")
    with psycopg.connect(database) as holder:
        holder.execute("SELECT FROM reporting.staged_run FOR UPDATE")
        with pytest.raises(TransientError, match="just being published or cleaned up"):
            compensate(places, run.id)

    assert places.staging.has(note)
    assert is_open(places.warehouse, run.id)


@pytest.mark.parametrize("isolation", ["repeatable read", "serializable"])
def test_the_isolation_of_the_role_does_not_hide_a_release(
    places: Places, run: Run, database: str, isolation: str
) -> None:
    def decides(at: Places) -> bool:
        at.warehouse.execute(f"SET default_transaction_isolation = '{isolation}'".encode())
        return is_published(at.warehouse, run.id, {"store": "failed"})

    with beside(places, database) as other:
        _, decided = published_with(places, run, other, decides)

        assert decided.result()


def test_without_a_release_a_green_store_has_published_nothing(places: Places, run: Run) -> None:
    """A person has marked it; a release of an older life counts, see the next test."""
    assert not is_published(places.warehouse, run.id, {"store": "success"})


def test_a_release_of_an_older_life_counts_while_store_is_green(
    places: Places, run: Run, database: str
) -> None:
    """A fetch alone was cleared, which begins a new life."""
    with beside(places, database) as other:
        published_with(places, run, other, lambda _: None)
    cleared = RunId(run.id.report, run.id.run_id, 1)

    assert find_release(places.warehouse, cleared) is None
    assert is_published(places.warehouse, cleared, {"store": "success"})
    assert not is_published(places.warehouse, cleared, {"store": "failed"})


class ClearedAt:
    """Airflow's answer to whether an undo is due: until the n-th time, when the run is cleared."""

    def __init__(self, number: int, run: Run, other: Beside) -> None:
        self.number, self.run, self.other = number, run, other
        self.asked = 0
        self.begun: Future[str] | None = None

    def __call__(self) -> bool:
        """Clear the run between this answer and what follows it."""
        self.asked += 1
        if self.asked == self.number:
            self.begun = self.other.begins(self._works)
        return self.asked <= self.number

    def _works(self, at: Places) -> str:
        """Do what a fetch of the next life does first."""
        take_claim(at.warehouse, self.run)
        register_staging(at.warehouse, self.run, DAY)
        key = f"{self.run.id.prefix}orders/fresh/part.parquet"
        at.staging.put(key, b"x")
        return key


def test_a_fetch_that_begins_while_the_last_one_is_undone_keeps_its_parts(
    places: Places, run: Run, database: str
) -> None:
    """The third answer is the last before the parts of the fetch are removed."""
    with beside(places, database) as other:
        is_due = ClearedAt(3, run, other)
        entries = compensate(places, run.id, is_due)
        assert is_due.begun is not None

        assert places.staging.has(is_due.begun.result())
    assert [entry.step for entry in entries] == ["store", "request", "fetch"]
    assert places.warehouse.execute("SELECT FROM reporting.claim").fetchall()
    assert is_open(places.warehouse, run.id)


def test_a_run_that_works_again_when_its_claim_is_given_up_gets_it_anew(
    places: Places, run: Run, database: str
) -> None:
    """The fourth answer is the last before that; then it is not closed either."""
    with beside(places, database) as other:
        is_due = ClearedAt(4, run, other)
        compensate(places, run.id, is_due)
        assert is_due.begun is not None
        is_due.begun.result()

    assert places.warehouse.execute("SELECT FROM reporting.claim").fetchall()
    row = places.warehouse.execute("SELECT keep_until FROM reporting.staged_run").fetchone()
    assert row == (None,)
    assert CLOSING_STEP not in {e.step for e in read_entries(places.warehouse, run.id)}


def test_staged_data_past_its_time_stays_once_the_claim_is_taken(places: Places, run: Run) -> None:
    """A step takes the claim before it comes to the note, which is locked meanwhile."""
    compensate(places, run.id)
    places.warehouse.execute("UPDATE reporting.staged_run SET keep_until = now()")
    key = f"{run.id.prefix}orders/manifest.json"
    places.staging.put(key, b"{}")
    take_claim(places.warehouse, run)

    assert discard_expired(places, run.id, datetime.now(UTC), lambda: True) is None
    assert places.staging.has(key)


def test_a_step_that_begins_while_staged_data_is_removed_loses_nothing(
    places: Places, run: Run, database: str
) -> None:
    compensate(places, run.id)
    places.warehouse.execute("UPDATE reporting.staged_run SET keep_until = now()")
    old = f"{run.id.prefix}orders/manifest.json"
    places.staging.put(old, b"{}")
    with beside(places, database) as other:
        has_ended = ClearedAt(1, run, other)

        assert discard_expired(places, run.id, datetime.now(UTC), has_ended) == 1
        assert has_ended.begun is not None
        assert places.staging.has(has_ended.begun.result())
    assert not places.staging.has(old)
    assert is_open(places.warehouse, run.id)


def test_the_note_is_free_after_the_block(places: Places, run: Run, database: str) -> None:
    with note_held(places.warehouse, run.id):
        pass
    with psycopg.connect(database) as other:
        other.execute("SELECT FROM reporting.staged_run FOR UPDATE NOWAIT")
