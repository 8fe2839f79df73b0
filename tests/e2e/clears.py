"""Runs whose tasks are cleared, each by a script, side by side; and what must come of it.

Before each clear both sources change, so that figures tell when they were fetched.
"""

from __future__ import annotations

import re
import time
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from reporting.cli.run_text import run_lines
from reporting.cli.run_view import read_run
from reporting.cli.verdict import has_failed
from reporting.core.airflow_api import run_path
from reporting.core.run import RunId
from reporting.core.states import FETCH_PREFIX, STORE
from tests.e2e.live import ENDED, Live

REPORT = "clearing"
SOURCES = ("orders", "prices")
IDS = (1, 2, 3)
LOOK_SECONDS, PATIENCE_SECONDS = 0.5, 900.0
COMMAND = re.compile(rf"reports clear {REPORT} \S+ (.+)")
# Steps of a script besides the clears.
ADVISED, EXPIRE, MEND = "as advised", "expire", "mend"
BREAK_COMPUTE, BREAK_PRICES = "break compute", "break prices"
Figures = list[tuple[int, ...]]


@dataclass(frozen=True)
class Clear:
    """One request to Airflow.

    Attributes:
        tasks: which tasks; none for the whole run.
        how: options besides, as the UI sends them.
    """

    tasks: tuple[str, ...]
    how: Mapping[str, bool] = field(default_factory=dict)

    def __str__(self) -> str:
        """Return it in words."""
        return f"clear {' '.join(self.tasks) or 'run'} {' '.join(self.how)}".strip()


Step = Clear | str


@dataclass
class Chain:
    """One run, and what is done to it, one after the other.

    Attributes:
        name: in words.
        day: the period, no other chain's.
        steps: in their order; what is broken first is so when the run begins.
        is_green: whether the run had done its work when it had ended last.
        staged: version of each source that was fetched last.
        published: the figures that readers must see.
        advice: which tasks the failed run says are to be cleared.
        faults: what was wrong, in words.
    """

    name: str
    day: str
    steps: tuple[Step, ...]
    run_id: str = ""
    version: int = 0
    broken: str = ""
    is_green: bool = False
    staged: dict[str, int] = field(default_factory=dict)
    published: Figures = field(default_factory=list)
    advice: str = ""
    faults: list[str] = field(default_factory=list)


@dataclass
class Cleared:
    """All chains, and what is known of their runs."""

    live: Live
    chains: list[Chain]
    _states: dict[str, str] = field(default_factory=dict)

    def play(self) -> None:
        """Play every script to its end."""
        under_way = {chain.day: (chain, self._script(chain)) for chain in self.chains}
        for _, script in under_way.values():
            next(script)
        deadline = time.monotonic() + PATIENCE_SECONDS
        while under_way:
            assert time.monotonic() < deadline, f"not over: {list(under_way)}"
            self._look()
            for day, (chain, script) in list(under_way.items()):
                if self._states[chain.run_id] in ENDED and next(script, None) is None:
                    del under_way[day]
            time.sleep(LOOK_SECONDS)

    def _script(self, chain: Chain) -> Iterator[str]:
        """Do each step; what is yielded is over when the run has ended."""
        steps = list(chain.steps)
        while steps[0] in (BREAK_COMPUTE, BREAK_PRICES):
            self._do(chain, str(steps.pop(0)))
        self._drop(chain)
        chain.run_id = self.live.trigger(REPORT, period=chain.day)
        yield "the first run"
        self._judge(chain, "the first run", (*(FETCH_PREFIX + s for s in SOURCES), STORE))
        for step in steps:
            clear = self._advised(chain) if step == ADVISED else step
            if isinstance(clear, str):
                self._do(chain, clear)
                continue
            cleared = self._clear(chain, clear)
            yield str(clear)
            self._judge(chain, f"{step}: {clear}", cleared)
        if not chain.is_green:
            chain.faults.append("the run is not green in the end")

    # --- what is done

    def _do(self, chain: Chain, step: str) -> None:
        switch = self.live.home / "switches" / chain.day
        match step:
            case "break compute":
                switch.parent.mkdir(exist_ok=True)
                switch.write_text("fail")
            case "break prices":
                chain.broken = "prices"
                self.live.s3.delete_object(Bucket="landing", Key=_key(chain, "prices"))
            case "mend":
                chain.broken = ""
                switch.unlink(missing_ok=True)
            case "expire":
                self._expire(chain)

    def _expire(self, chain: Chain) -> None:
        """Remove what is staged, as the janitor does when its time is over."""
        for key in self.live.keys("staging", RunId(REPORT, chain.run_id).prefix):
            self.live.s3.delete_object(Bucket="staging", Key=key)
        self.live.warehouse.execute(
            "DELETE FROM reporting.staged_run WHERE run_id = %s", (chain.run_id,)
        )

    def _advised(self, chain: Chain) -> Clear:
        if chain.is_green:  # what could have been refused came out right
            return Clear(("deliver",))
        return Clear(tuple(chain.advice.split()), {"include_downstream": True})

    def _clear(self, chain: Chain, clear: Clear) -> tuple[str, ...]:
        """Clear, and return which tasks that were."""
        self._drop(chain)
        body: dict[str, object] = {"only_failed": False, **clear.how}
        path = f"{run_path(REPORT, chain.run_id)}/clear"
        if clear.tasks:
            path = f"dags/{REPORT}/clearTaskInstances"
            body |= {"dag_run_id": chain.run_id, "task_ids": list(clear.tasks)}
        # Of a whole run Airflow tells only beforehand which tasks it clears.
        found = self.live.api.post(path, {**body, "dry_run": True})
        self.live.api.post(path, {**body, "dry_run": False})
        return tuple(str(task["task_id"]) for task in found["task_instances"])

    def _drop(self, chain: Chain) -> None:
        """Put the sources of the day, each time with other figures."""
        chain.version += 1
        for source, column in zip(SOURCES, ("amount", "price"), strict=True):
            rows = [f"{id_},{_figure(source, chain.version, id_)}" for id_ in IDS]
            body = "\n".join([f"id,{column}", *rows, ""]).encode()
            if source != chain.broken:
                self.live.s3.put_object(Bucket="landing", Key=_key(chain, source), Body=body)

    # --- what came of it

    def _judge(self, chain: Chain, what: str, cleared: Collection[str]) -> None:
        """Note what is wrong with the run as it has ended now."""
        view = read_run(self.live.api, REPORT, chain.run_id)
        done = {task for task in cleared if view.task_states.get(task) == "success"}
        chain.staged |= {s: chain.version for s in SOURCES if FETCH_PREFIX + s in done}
        if STORE in done:
            chain.published = [
                (id_, *(_figure(s, chain.staged[s], id_) for s in SOURCES)) for id_ in IDS
            ]
        text = "\n".join(run_lines(view))
        chain.advice = next(iter(COMMAND.findall(text)), "")
        chain.is_green = not has_failed(view)
        where = f"{what} ({'green' if chain.is_green else 'failed'})"
        if not chain.is_green and not chain.advice:
            chain.faults.append(f"{where}: no task to clear is named: {text}")
        if chain.is_green and not chain.published:
            chain.faults.append(f"{where}: green, and nothing was published")
        if (found := self._figures(chain)) != chain.published:
            chain.faults.append(f"{where}: figures are {found}, not {chain.published}")

    def _figures(self, chain: Chain) -> Figures:
        if self.live.rows("SELECT to_regclass('results.clearing__sales')") == [(None,)]:
            return []
        return self.live.rows(
            "SELECT id, amount, price FROM results.clearing__sales WHERE period = %s ORDER BY id",
            chain.day,
        )

    def _look(self) -> None:
        runs = self.live.api.pages(f"dags/{REPORT}/dagRuns", "dag_runs")
        self._states = {run["dag_run_id"]: run["state"] for run in runs}


def _key(chain: Chain, source: str) -> str:
    return f"{REPORT}/{chain.day}/{source}.csv"


def _figure(source: str, version: int, id_: int) -> int:
    return 1000 * version + 100 * SOURCES.index(source) + id_
