"""Plays many plans, several at once, then lets the janitor work and checks everything."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from functools import cached_property
from uuid import uuid4

from reporting.core.airflow_api import AirflowApi
from tests.e2e.live import eventually
from tests.faults.checks import Breach, breaches
from tests.faults.found import FoundRun
from tests.faults.gathering import Gathering
from tests.faults.ground import Ground
from tests.faults.outlook import must_succeed
from tests.faults.patience import with_patience
from tests.faults.plan import Plan
from tests.faults.playing import Play
from tests.faults.reading import Reader
from tests.faults.subject import Figures
from tests.faults.trial import Prepare

TRIES = 2  # of the reports under test; one with fewer may lose a run
MOST_SWEEPS, SETTLED_SECONDS = 8, 45.0
EXPIRE = """
UPDATE reporting.staged_run SET keep_until = now() WHERE keep_until > now() AND report = ANY (%s)
RETURNING run_id
"""
JANITOR = "report_janitor"


@dataclass
class Campaign:
    """Some plans on one stack.

    Attributes:
        ground: the stack.
        plans: what is played.
        prepare: makes ready for a plan.
        at_once: how many plans are played at the same time.
        write: takes each line of the log.
        expected: what a release must have, per report and period.
    """

    ground: Ground
    plans: Sequence[Plan]
    prepare: Prepare
    at_once: int
    write: Callable[[str], None]
    expected: dict[tuple[str, str], Figures] = field(default_factory=dict)
    _faults: dict[int, str] = field(default_factory=dict)

    def run(self) -> dict[int, list[str]]:
        """Play all and return what is broken, per seed; 0 stands for what is nobody's."""
        with self._reader.reading(), ThreadPoolExecutor(self.at_once) as pool:
            played = {pool.submit(self._play, plan): plan for plan in self.plans}
            for count, done in enumerate(as_completed(played), 1):
                self.write(f"[{count}/{len(self.plans)}] {done.result()}")
        self.write(f"readers saw a whole release {self.looks} times")
        found = self._swept() + self._reader.breaches
        by_seed: dict[int, list[str]] = {seed: [text] for seed, text in self._faults.items()}
        for breach in found:
            by_seed.setdefault(self._seed_of(breach), []).append(str(breach))
        return by_seed

    @property
    def looks(self) -> int:
        """How many looks of the reader have found a release."""
        return self._reader.looks

    def _play(self, plan: Plan) -> str:
        began = time.monotonic()
        play = Play(self.ground, plan)
        try:
            self.expected[plan.case.key] = self.prepare(self.ground, plan)
            self._reader.watched.add(plan.case.key)
            runs = play.play()
            states = ", ".join(run.state for run in runs) or "deleted"
            if (found := self._loss(plan, runs, began)) is not None:
                self._faults[plan.seed] = found
        except Exception as error:  # noqa: BLE001 - the other plans are to be played all the same
            states = f"not played to its end: {type(error).__name__}: {error}"
            self._faults[plan.seed] = states
        self._reader.watched.discard(plan.case.key)
        notes = "".join(f" ({note})" for note in play.notes)
        return f"{time.monotonic() - began:.0f} s, {states}: {plan}{notes}"

    def _loss(self, plan: Plan, runs: Sequence[FoundRun], began: float) -> str | None:
        """Say that a run was lost by faults of which none is worth a run."""
        is_beside_a_kill = any(kill >= began for kill in self.ground.kills)
        state = next((run.state for run in runs if run.run_id == plan.run_id), "gone")
        if state == "success" or is_beside_a_kill or not must_succeed(plan, TRIES):
            return None
        return f"the run is {state}, although trying again mends each of its faults"

    def _swept(self) -> list[Breach]:
        """Run the janitor until nothing is broken, or for good; return what is."""
        began, before = time.monotonic(), None
        for count in range(1, MOST_SWEEPS + 1):
            self._sweep()
            found = breaches(self._gathering.gather(), self.expected)
            is_old = found == before and time.monotonic() - began > SETTLED_SECONDS
            self.write(f"sweep {count}: {len(found)} breaches")
            if not found or is_old:
                break
            before = found
        return found

    def _sweep(self) -> None:
        """Run the janitor once, as if the time of all that is kept were over."""
        self._gathering.live.rows(EXPIRE, self._gathering.reports)
        run_id = f"chaos_sweep_{uuid4().hex}"
        body = {"dag_run_id": run_id, "logical_date": None}
        with_patience(lambda: self._api.post(f"dags/{JANITOR}/dagRuns", body))

        def is_over() -> bool:
            return self._api.run(JANITOR, run_id)["state"] in ("success", "failed")

        eventually("the end of the janitor", is_over, seconds=300)

    def _seed_of(self, breach: Breach) -> int:
        """Return the plan that a breach is about; its period, or its run's id, tells."""
        words = breach.about.replace("/", " ").split()
        for plan in self.plans:
            own = (plan.case.period, plan.run_id)
            further = (f"{plan.run_id}_", f"backfill__{plan.case.period}T")
            if any(word in own or word.startswith(further) for word in words):
                return plan.seed
        return 0

    @cached_property
    def _api(self) -> AirflowApi:
        return self.ground.live().api

    @cached_property
    def _gathering(self) -> Gathering:
        return Gathering(self.ground, sorted({plan.case.report for plan in self.plans}))

    @cached_property
    def _reader(self) -> Reader:
        return Reader(self.ground, self.expected)
