"""The clean-ups of the janitor beside runs that are cleared while they go on (R16)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

import pytest

from reporting.airflow_edge import janitor, leftovers
from reporting.airflow_edge.failed_runs import FailedRun
from reporting.airflow_edge.steps import compensate as compensate_module
from reporting.core.run import Run, RunId
from reporting.core.saga import Places, compensate
from reporting.core.service.request_record import RequestRecord, RequestRecords
from reporting.core.warehouse.ledger import CLOSING_STEP, read_entries
from reporting.errors import TransientError
from tests.integration.edge_context import context_of
from tests.integration.reconciling import World
from tests.integration.unlistable_client import Unlistable
from tests.specimens import a_report

pytestmark = pytest.mark.integration


@dataclass
class Airflow:
    """What Airflow says of runs to a task, which is `compensate` or one of the janitor.

    Attributes:
        states: state per run; one that was deleted has none.
        tasks: state per task of the run that asks.
    """

    states: dict[str, str] = field(default_factory=dict)
    tasks: dict[str, str] = field(default_factory=dict)
    task_id: str = "compensate"
    dag_id: str = "sales"
    run_id: str = "run"
    try_number: int = 1
    max_tries: int = 1

    @property
    def context(self) -> Any:
        return {"ti": self}

    def get_dr_count(self, *, dag_id: str, run_ids: list[str], states: Collection[str]) -> int:
        """Count the runs in one of `states`."""
        return sum(1 for run in run_ids if dag_id and self.states.get(run) in states)

    def get_task_states(self, **_: Any) -> dict[str, dict[str, str]]:
        return {self.run_id: self.tasks}


@pytest.fixture
def airflow() -> Airflow:
    return Airflow()


@pytest.fixture(autouse=True)
def _opened(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let clean-ups open the places of the test, whatever they are then."""

    @contextmanager
    def opened() -> Iterator[Places]:
        yield world.places

    for module in (leftovers, compensate_module):
        monkeypatch.setattr(module, "places", opened)
    monkeypatch.setattr(leftovers, "dag_run_of", lambda *_: None)


def asks(world: World, run: Run) -> None:
    """Leave a request that its service still works on."""
    records = RequestRecords(world.places.staging, run.id)
    records.write(RequestRecord("orders", "0 ", 1, "http", "orders_api", "2024-05-01T06:00:00Z"))


def cancelling(world: World, happens: Callable[[], None]) -> None:
    """Let something happen while a service is asked to take back a request."""
    world.places = replace(world.places, canceller=lambda _run: lambda _record: happens())


def expired(world: World, name: str) -> Run:
    """Leave a run that has failed, was compensated, has asked later and is past its time."""
    run = world.starts(name)
    world.fetches(run)
    compensate(world.places, run.id)
    asks(world, run)
    world.places.warehouse.execute(
        "UPDATE reporting.staged_run SET keep_until = now() - interval '1 hour'"
    )
    return run


def has_data(world: World, run: Run) -> bool:
    return world.places.staging.has(f"{run.id.prefix}orders/manifest.json")


def has_claim(world: World) -> bool:
    found = world.places.warehouse.execute("SELECT FROM reporting.claim")
    return found.fetchone() is not None


def kept_until(world: World) -> datetime | None:
    """Return until when the staged data of the only run is kept."""
    ((until,),) = world.places.warehouse.execute("SELECT keep_until FROM reporting.staged_run")
    assert until is None or isinstance(until, datetime)
    return until


@pytest.mark.parametrize("has_begun", [True, False], ids=["a step works", "none yet"])
def test_a_run_cleared_while_the_data_of_another_one_is_removed_keeps_its_own(
    world: World, airflow: Airflow, has_begun: bool
) -> None:
    """Both were past their time when the sweep began."""
    runs = {name: expired(world, name) for name in ("a", "b")}
    cleared: list[str] = []

    def cancel(run: RunId) -> Callable[[RequestRecord], None]:
        (other,) = {"a", "b"} - {run.run_id}
        return lambda _: None if cleared else clear(other)

    def clear(name: str) -> None:
        cleared.append(name)
        airflow.states[name] = "running"
        if has_begun:
            world.starts(name, clear_number=1)
            world.fetches(runs[name])

    world.places = replace(world.places, canceller=cancel)
    assert leftovers.remove_expired_staging(airflow.context)["runs"] == 1

    (left,) = cleared
    assert [name for name in runs if has_data(world, runs[name])] == [left]
    assert RequestRecords(world.places.staging, runs[left].id).read("orders") is not None
    assert has_claim(world) is has_begun


def test_a_run_whose_data_cannot_be_removed_keeps_no_other_ones(
    world: World, airflow: Airflow
) -> None:
    runs = [expired(world, name) for name in ("a", "b")]
    client: Any = Unlistable(world.places.staging.client, runs[0].id.prefix)
    staging = replace(world.places.staging, client=client)
    world.places = replace(world.places, staging=staging, canceller=lambda _: lambda _: None)

    with pytest.raises(TransientError, match=r"a: ClientError.*not today"):
        leftovers.remove_expired_staging(airflow.context)

    assert [has_data(world, run) for run in runs] == [True, False]


def works_again(world: World, run: Run) -> None:
    """Begin a fetch of the next life, which has not committed yet."""
    world.starts("run", clear_number=1)
    world.places.staging.put(f"{run.id.prefix}orders/fresh/part.parquet", b"x")


def demand_untouched(world: World, run: Run) -> None:
    assert world.places.staging.has(f"{run.id.prefix}orders/fresh/part.parquet")
    assert has_claim(world)
    assert kept_until(world) is None
    assert CLOSING_STEP not in {e.step for e in read_entries(world.places.warehouse, run.id)}


def test_a_green_run_that_is_cleared_while_it_is_undone_is_left_alone(
    world: World, airflow: Airflow
) -> None:
    """An early task of it was cleared before, so it is open; its service takes long to answer."""
    run, _ = world.publishes()
    world.starts(clear_number=1)
    asks(world, run)

    def is_cleared() -> None:
        works_again(world, run)
        airflow.states["run"] = "running"

    cancelling(world, is_cleared)
    assert leftovers.settle_vanished_runs(airflow.context) == {"vanished": 1}

    demand_untouched(world, run)


def test_a_run_that_is_cleared_while_compensate_undoes_it_is_left_alone(
    world: World, airflow: Airflow
) -> None:
    """Airflow has cleared it, and the process of the task lives on for some seconds."""
    run = world.starts()
    asks(world, run)
    airflow.tasks.update(compensate="running", fetch_orders="failed", await_sources="failed")
    report = a_report(name=run.id.report)

    def is_cleared() -> None:
        works_again(world, run)
        del airflow.tasks["compensate"]

    cancelling(world, is_cleared)
    with pytest.raises(TransientError, match="Task compensate is gone"):
        compensate_module.compensate(report, context_of(run.id) | airflow.context)

    demand_untouched(world, run)


@pytest.fixture
def _still_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(janitor, "is_still_failed", lambda *_: True)


def failed(run: Run, **states: str) -> FailedRun:
    return FailedRun(run.id, "Sales", None, states, datetime.now(UTC))


@pytest.mark.usefixtures("_still_failed")
def test_a_run_whose_store_was_marked_by_hand_is_undone_like_any_other(
    world: World, airflow: Airflow
) -> None:
    run = world.starts()
    world.fetches(run)

    outcome = janitor._undo(
        world.places, airflow.context, failed(run, store="success", deliver="failed")
    )

    assert outcome is not None
    assert (outcome.published, outcome.left) == (False, [])
    assert [entry.step for entry in outcome.entries] == ["store", "request", "fetch", "init"]
    assert not has_claim(world)
    assert kept_until(world) is not None


@pytest.mark.usefixtures("_still_failed")
def test_what_a_published_run_has_taken_up_again_goes_and_its_figures_stay(
    world: World, airflow: Airflow
) -> None:
    """A green run: a fetch alone was cleared, and the run marked as failed while that worked."""
    run, release = world.publishes()
    works_again(world, run)
    again = replace(run, id=replace(run.id, clear_number=1))
    states = failed(again, store="success", fetch_orders="failed")

    outcome = janitor._undo(world.places, airflow.context, states)

    assert outcome is not None
    assert outcome.published
    assert not has_claim(world)
    assert list(world.places.staging.keys(f"{run.id.prefix}orders/fresh/")) == []
    assert has_data(world, run)
    assert [key for key in release.files if not world.places.reports.has(key)] == []
    until = kept_until(world)
    assert until is not None
    janitor._undo(world.places, airflow.context, states)
    assert kept_until(world) == until
    assert world.found() == []
