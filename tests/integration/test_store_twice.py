"""Two tries of `store` at once: the release that stands has all its files (R12)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from itertools import count
from threading import Event
from typing import Any

import pytest

from reporting.airflow_edge.steps import store as store_module
from reporting.airflow_edge.steps.store import store
from reporting.core.arrow import arrow_schema
from reporting.core.inputs import Inputs
from reporting.core.origin import origin_of
from reporting.core.result import Results, fingerprint_of
from reporting.core.saga import Places
from reporting.core.staging import Staging
from reporting.core.warehouse.publish import publish
from reporting.core.warehouse.release import Release
from reporting.core.warehouse.runs import register_staging
from reporting.definition.report import Report
from reporting.definition.tables import Csv
from reporting.errors import TransientError
from tests.integration.beside import Beside, beside
from tests.integration.edge_context import context_of
from tests.integration.publishing import data
from tests.specimens import a_report, a_run, a_source

pytestmark = pytest.mark.integration

SECONDS = 20


class Task:
    """A try of `store`, as far as it asks Airflow; `hook` comes with the n-th question."""

    task_id = dag_id = "store"

    def __init__(self, run_id: str, hook: Callable[[int], None] = lambda _: None) -> None:
        self.run_id, self._hook, self._asked = run_id, hook, count(1)

    def xcom_pull(self, **_: Any) -> None:
        """Return that no source is missing."""

    def get_dr_count(self, **_: Any) -> int:
        """Return that every run is under way."""
        return 1

    def get_task_states(self, **_: Any) -> dict[str, dict[str, str]]:
        self._hook(next(self._asked))
        return {self.run_id: {"fetch_orders": "success", "store": "running"}}


@pytest.fixture
def report(report_name: str) -> Report:
    return a_report(name=report_name, exports=[Csv()])


@dataclass
class Tries:
    """The tries of one `store`, each with the places of a process of its own."""

    report: Report
    opened: list[Places]

    @contextmanager
    def places(self) -> Iterator[Places]:
        """Open the places of the next try."""
        yield self.opened.pop(0)

    def store(self, hook: Callable[[int], None] = lambda _: None) -> dict[str, Any]:
        """Do one try."""
        run = a_run(self.report.name, "run").id
        return store(self.report, context_of(run) | {"ti": Task(run.run_id, hook)})


@pytest.fixture
def _staged(places: Places, report: Report) -> None:
    """Stage what `compute` leaves to `store`."""
    run, source = a_run(report.name, "run"), a_source()
    register_staging(places.warehouse, run, timedelta(days=1))
    rows = data(report, {"id": 1, "name": "a"})
    staging = Staging(places.staging, run.id)
    with staging.attempt("orders", source.schema) as attempt:
        attempt.writer.write(rows["totals"].cast(arrow_schema(source.schema)))
        manifest = attempt.commit({}, origin_of(source, report.folder, run))
    inputs = Inputs(run, places.staging, {"orders": manifest}, {"orders": source.schema}, {})
    Results(staging, report).persist(rows, fingerprint_of(inputs, report, "code"))


@pytest.fixture
def tries(monkeypatch: pytest.MonkeyPatch, places: Places, report: Report, other: Beside) -> Tries:
    tries = Tries(report, [places, other.places])
    monkeypatch.setattr(store_module, "places", tries.places)
    return tries


@pytest.fixture
def other(places: Places, database: str) -> Iterator[Beside]:
    with beside(places, database) as other:
        yield other


def lacking(places: Places, release: dict[str, Any]) -> list[str]:
    assert release["files"]
    return [key for key in release["files"] if not places.reports.has(key)]


@pytest.mark.usefixtures("_staged")
def test_a_try_that_begins_while_the_last_one_commits_waits_and_publishes_nothing(
    places: Places, tries: Tries, other: Beside
) -> None:
    """Airflow has given up the first while its COMMIT is on its way."""
    begun: list[Future[dict[str, Any]]] = []

    def last_question(number: int) -> None:
        if number == 2:
            begun.append(other.begins(lambda _: tries.store()))

    release = tries.store(last_question)

    assert begun[0].result() == release
    assert lacking(places, release) == []
    assert places.warehouse.execute("SELECT FROM reporting.claim").fetchall() == []


@pytest.mark.usefixtures("_staged")
def test_a_try_whose_files_the_next_one_has_removed_publishes_nothing(
    places: Places, tries: Tries, other: Beside, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has written its files and was taken for dead; the next has removed them and goes on."""
    begun: list[Future[dict[str, Any]]] = []
    is_ready, may_go = Event(), Event()

    def publish_in_turn(*given: Any) -> Release:
        if begun:
            is_ready.set()
            assert may_go.wait(SECONDS)
        else:
            begun.append(other.begins_freely(lambda _: tries.store()))
            assert is_ready.wait(SECONDS)
        return publish(*given)

    monkeypatch.setattr(store_module, "publish", publish_in_turn)
    with pytest.raises(TransientError, match="which this try has written"):
        tries.store()
    may_go.set()

    release = begun[0].result()
    assert release["version"] == 1
    assert lacking(places, release) == []
