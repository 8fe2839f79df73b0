"""Reconciliation beside running runs, and twice at once: nothing anybody needs is touched (R20)."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from itertools import count

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from embedded_stack.conditions import wait_for
from reporting.core.reconcile.difference import Difference, Scope
from reporting.core.reconcile.installation import Installation, Standing
from reporting.core.reconcile.passes import reconcile, repair
from reporting.core.run import Run, RunId
from reporting.core.saga import compensate
from reporting.core.staging import Staging
from tests.integration.expiring import expire
from tests.integration.reconciling import LATER, World

pytestmark = pytest.mark.integration

OLD = Scope(grace=LATER)
LIFE = count()  # no life of a run is that of a run of an earlier example


def orphan(world: World) -> Run:
    """Leave what a process that outlived its run leaves, a manifest included."""
    run = world.starts()
    world.fetches(run)
    world.places.warehouse.execute("DELETE FROM reporting.staged_run")
    world.places.warehouse.execute("DELETE FROM reporting.claim")
    world.ends(run)
    return run


def test_a_run_that_was_cleared_since_it_was_looked_at_keeps_everything(world: World) -> None:
    run = orphan(world)
    found = world.found()
    assert [one.kind for one in found] == ["orphaned staging"]

    world.known["run"] = Standing(run.id, is_under_way=True, ended_at=None)
    repair(world.here, OLD, found)

    assert Staging(world.places.staging, run.id).manifest("orders") is not None


def test_a_step_that_begins_while_orphans_are_removed_waits_and_loses_nothing(
    world: World, database: str
) -> None:
    """The manifest of the new life has the key of the old one's: they must not meet."""
    run = orphan(world)
    with psycopg.connect(database, autocommit=True) as own, ThreadPoolExecutor(1) as beside:
        of_the_step = replace(world, places=replace(world.places, warehouse=own))
        begun: list[Future[None]] = []

        def asked(_: RunId) -> Standing:
            """Begin the step between the last look at Airflow and the removal."""
            if not begun and is_held(world):
                begun.append(beside.submit(lambda: again(of_the_step)))
                wait_for(
                    lambda: is_waiting(world) or None,
                    seconds=10,
                    otherwise=lambda: "the step did not wait",
                )
            return Standing(run.id, False, datetime.now(UTC))

        held = Installation(world.places, asked)
        done = repair(held, OLD, reconcile(world.here, OLD).differences)
        assert not done.unseen
        assert begun
        begun[0].result()

    assert Staging(world.places.staging, run.id).manifest("orders") is not None
    keys = set(world.places.staging.keys(run.id.prefix))
    manifest = Staging(world.places.staging, run.id).manifest("orders")
    assert manifest is not None
    assert {part.key for part in manifest.parts} <= keys
    assert world.found() == []


def again(world: World) -> None:
    world.fetches(world.starts(clear_number=1))


def is_held(world: World) -> bool:
    """Say whether this connection keeps the run out now."""
    return bool(world.places.warehouse.execute("SELECT FROM reporting.staged_run").fetchall())


def is_waiting(world: World) -> bool:
    """Say whether another session of this database waits for a lock."""
    found = world.places.warehouse.execute(
        "SELECT FROM pg_stat_activity "
        "WHERE datname = current_database() AND wait_event_type = 'Lock'"
    )
    return found.fetchone() is not None


def test_a_claim_taken_anew_since_it_was_looked_at_is_kept(world: World) -> None:
    run = world.starts()
    world.places.warehouse.execute("DELETE FROM reporting.staged_run")
    world.ends(run)
    found = world.found()
    assert [one.kind for one in found] == ["claim"]

    def begins_right_then(_: RunId) -> Standing:
        known = world.known["run"]
        world.starts(clear_number=1)
        return known

    scope = Scope(grace=LATER)
    repair(Installation(world.places, begins_right_then), scope, found)

    assert world.places.warehouse.execute("SELECT FROM reporting.claim").fetchall()


def test_expired_data_of_a_run_cleared_since_it_was_looked_at_is_kept(world: World) -> None:
    run, _ = world.publishes()
    world.places.warehouse.execute("UPDATE reporting.staged_run SET keep_until = now()")
    found = world.found()
    assert [one.kind for one in found] == ["expired staging"]
    world.starts(clear_number=1)

    repair(world.here, OLD, found)

    assert Staging(world.places.staging, run.id).manifest("orders") is not None


def test_two_at_once_do_the_same_once(world: World, database: str) -> None:
    for name in ("a", "b", "c"):
        run = world.starts(name)
        world.fetches(run)
        world.places.staging.put(f"{run.id.prefix}orders/dead/part.parquet", b"x")
        compensate(world.places, run.id)
        world.ends(run)
    world.places.warehouse.execute("DELETE FROM reporting.staged_run")

    def passed(_: int) -> tuple[list[Difference], list[str]]:
        with psycopg.connect(database, autocommit=True) as own:
            here = replace(world, places=replace(world.places, warehouse=own)).here
            done = repair(here, OLD, reconcile(here, OLD).differences)
            return list(done.differences), list(done.unseen)

    with ThreadPoolExecutor(2) as both:
        results = list(both.map(passed, range(2)))

    assert [unseen for _, unseen in results] == [[], []]
    assert list(world.places.staging.keys("")) == []
    assert world.found() == []


@settings(
    max_examples=15,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    steps=st.lists(
        st.tuples(st.sampled_from(["a", "b"]), st.integers(0, 11)), min_size=4, max_size=20
    )
)
def test_whatever_runs_do_one_after_the_other_nothing_differs(
    world: World, steps: list[tuple[str, int]]
) -> None:
    """A healthy installation gives no false alarm, at any moment."""
    history = History(world)
    for name, choice in steps:
        history.does(name, choice)
        assert world.found() == []
        assert world.repaired() == []


class History:
    """Runs that do what runs may do next.

    Attributes:
        world: where they run.
        lives: the number of the life each run is in.
        at: the last thing each has done in this life.
    """

    def __init__(self, world: World) -> None:
        self.world = world
        self.lives: dict[str, int] = {}
        self.at: dict[str, str] = {}
        world.places.warehouse.execute("DELETE FROM reporting.claim")
        for (name,) in world.places.warehouse.execute(
            "SELECT run_id FROM reporting.staged_run"
        ).fetchall():
            expire(world.places, RunId(world.report.name, name))

    def does(self, name: str, choice: int) -> None:
        """Do one of the steps that may come next."""
        may_come: dict[str, list[Callable[[str], None]]] = {
            "": [self._starts],
            "started": [self._fetches, self._is_killed, self._compensates],
            "fetched": [self._computes, self._fetches, self._is_killed, self._compensates],
            "computed": [self._stores, self._computes, self._fetches, self._compensates],
            "ended": [self._starts, self._expires],
        }
        steps = may_come[self.at.get(name, "")]
        steps[choice % len(steps)](name)

    def _starts(self, name: str) -> None:
        others = [other for other, at in self.at.items() if at != "ended" and other != name]
        if not others:  # they want the same claim
            self.lives[name] = next(LIFE)
            self.world.starts(name, self.lives[name])
            self.at[name] = "started"

    def _fetches(self, name: str) -> None:
        self.world.fetches(self.world.starts(name, self.lives[name]))
        self.at[name] = "fetched"

    def _is_killed(self, name: str) -> None:
        staging = Staging(self.world.places.staging, RunId(self.world.report.name, name))
        staging.bucket.put(f"{staging.prefix('orders')}dead/part.parquet", b"left by a kill")

    def _computes(self, name: str) -> None:
        self.world.computes(self.world.starts(name, self.lives[name]))
        self.at[name] = "computed"

    def _stores(self, name: str) -> None:
        run = self.world.starts(name, self.lives[name])
        self.world.stores(run)
        self.world.ends(run)
        self.at[name] = "ended"

    def _compensates(self, name: str) -> None:
        run = self.world.starts(name, self.lives[name])
        compensate(self.world.places, run.id)
        self.world.ends(run)
        self.at[name] = "ended"

    def _expires(self, name: str) -> None:
        expire(self.world.places, RunId(self.world.report.name, name))
