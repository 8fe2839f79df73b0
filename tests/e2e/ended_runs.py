"""Runs that ask a service and are ended at a stage of it: all at once, each by a script."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from threading import Event
from typing import Any

import psutil
import psycopg

from reporting.core.airflow_api import run_path
from reporting.core.run import RunId
from reporting.core.service.broker import Broker, count_replies, reply_queue
from reporting.core.service.request_record import RequestRecord
from reporting.messages import Reply, reply_bytes
from tests.e2e.day_jobs import ROWS, DayJobs
from tests.e2e.held_row import HeldRow
from tests.e2e.live import Live
from tests.integration.message_service import publish

FETCH = "fetch_orders"
RUNNING, DONE = {"status": "running"}, {"status": "done"}
BOTH_WAYS = 2
EVERY_RUN = "~"
FINISHED = ("success", "failed")
ROUND_SECONDS, PATIENCE_SECONDS = 1.0, 420.0
Until = Iterator[Callable[[], object]]  # what is waited for, one after the other


@dataclass(frozen=True)
class Cell:
    """One way to end one stage.

    Attributes:
        way: `job` or `message`.
        stage: what the service is at.
        action: how it is ended.
        day: the period, no other cell's.
    """

    way: str
    stage: str
    action: str
    day: str

    @property
    def report(self) -> str:
        """The report whose limits fit."""
        limit = {"time limit": "_late", "run limit": "_over"}.get(self.action, "")
        return f"ended_{self.way}{limit}"


@dataclass
class Ended:
    """All runs, from their start to their end.

    Attributes:
        live: the stack.
        jobs: the service of jobs.
        broker: where the messages are.
        runs: run id per cell.
        keys: keys of all requests by message, per cell.
    """

    live: Live
    jobs: DayJobs
    broker: Broker
    runs: dict[Cell, str] = field(default_factory=dict)
    keys: dict[Cell, list[str]] = field(default_factory=dict)
    _states: dict[tuple[str, str], str | None] = field(default_factory=dict)
    _rows: dict[Cell, HeldRow] = field(default_factory=dict)
    _pids: dict[Cell, int] = field(default_factory=dict)
    _orphaned: set[Cell] = field(default_factory=set)
    _is_killed: bool = False

    def play(self, cells: list[Cell]) -> None:
        """Start all, end each at its stage, and wait until nothing runs."""
        scripts = {cell: self._script(cell) for cell in cells}
        due: dict[Cell, Callable[[], object]] = {cell: next(s) for cell, s in scripts.items()}
        deadline = time.monotonic() + PATIENCE_SECONDS
        while due:
            assert time.monotonic() < deadline, f"not reached: {list(due)}; {self._states}"
            self._look()
            for cell in [cell for cell, is_reached in due.items() if is_reached()]:
                found = next(scripts[cell], None)
                if found is None:
                    del due[cell]
                else:
                    due[cell] = found
            time.sleep(ROUND_SECONDS)

    def record(self, cell: Cell) -> RequestRecord | None:
        """Return the record of the run's request; None when it was removed."""
        run = RunId(cell.report, self.runs[cell])
        key = f"{run.prefix}_requests/orders.json"
        if key not in self.live.keys("staging", run.prefix):
            return None
        body = self.live.s3.get_object(Bucket="staging", Key=key)["Body"].read()
        return RequestRecord(**json.loads(body))

    def _script(self, cell: Cell) -> Until:
        hold = Event()
        if cell.stage in ("submit", "result"):
            self.jobs.holds[cell.stage, cell.day] = hold
        self.jobs.says[cell.day] = DONE if cell.stage == "result" else RUNNING
        if cell.action == "service refuses":
            self.jobs.kept.add(cell.day)
        self.runs[cell] = self.live.trigger(cell.report, period=cell.day)
        if cell.stage == "start":
            self._rows[cell] = HeldRow(self._connect, self.runs[cell])
        yield from self._reach(cell)
        if "clear" in cell.action:
            self.jobs.says[cell.day] = RUNNING
        yield from self._act(cell)
        if cell.stage in ("start", "submit"):  # a process that is not wanted any more goes on
            hold.set()
            self._release(cell)
        if "clear" in cell.action:
            yield lambda: self._has_asked_anew(cell)
            self._refuse(cell)
        yield lambda: self._is_over(cell)
        hold.set()
        self.jobs.kept.discard(cell.day)  # the janitor is heard

    def _reach(self, cell: Cell) -> Until:
        if cell.stage in ("submit", "result"):
            yield lambda: (cell.stage, cell.day) in self.jobs.held
            return
        if cell.stage == "start":
            self.keys[cell] = []
            yield self._rows[cell].is_blocking
            return
        yield lambda: self._state(cell) == "deferred"
        if cell.way == "message":
            key = self._key(cell)
            self.keys[cell] = [key]
            if cell.stage == "parts":
                self._reply(Reply(key, 1, rows=ROWS[:1]))
                yield lambda: self._waiting(key) == 0 and self._state(cell) == "deferred"

    def _act(self, cell: Cell) -> Until:
        if cell.action == "kill triggerer":
            self._orphaned.add(cell)
            yield lambda: len(self._orphaned) == BOTH_WAYS
            self._answer_while_nobody_looks(cell)
        elif cell.action.endswith("limit"):
            yield lambda: self._state(cell) in ("failed", "skipped")
        else:
            self._end_by_hand(cell)

    def _end_by_hand(self, cell: Cell) -> None:
        run_id, at = self.runs[cell], self.live.api
        path = run_path(cell.report, run_id)
        match cell.action:
            case "kill worker":
                self.live.kill(cell.report, run_id, FETCH)
            case "no state told":
                self.jobs.says[cell.day] = {}
            case "clear fetch":
                self.live.clear(cell.report, run_id, FETCH)
            case "clear run":
                at.post(f"{path}/clear", {"dry_run": False, "only_failed": False})
            case "mark fetch failed" | "service refuses":
                at.patch(f"{path}/taskInstances/{FETCH}", {"new_state": "failed"})
            case "mark run failed" | "delete run":
                self._pids[cell] = self.live.task(cell.report, run_id, FETCH)["pid"]
                at.patch(path, {"state": "failed"})
        if cell.action == "delete run":  # Airflow deletes none that runs
            at.delete(path)

    def _answer_while_nobody_looks(self, cell: Cell) -> None:
        if not self._is_killed:
            (found,) = [s for s in self.live.stack.status() if s.name == "airflow-triggerer"]
            assert found.pid is not None
            os.kill(found.pid, signal.SIGKILL)
        self.jobs.says[cell.day] = DONE
        if cell.way == "message":
            self._reply(Reply(self._key(cell), 1, is_last=True, rows=ROWS))
        if self._is_killed:
            self.live.stack.up()
        self._is_killed = True

    def _has_asked_anew(self, cell: Cell) -> bool:
        if cell.way == "job":
            return len(self.jobs.of(cell.day)) > (cell.stage != "start")
        record = self.record(cell)
        assert record is not None
        key = self._key(cell)
        if key in self.keys[cell] or not record.job:
            return False
        self.keys[cell].append(key)
        return True

    def _connect(self) -> psycopg.Connection[Any]:
        return self.live.database("REPORT_WAREHOUSE")

    def _release(self, cell: Cell) -> None:
        if row := self._rows.pop(cell, None):
            row.release()

    def _refuse(self, cell: Cell) -> None:
        """Let the service end what was asked anew."""
        self.jobs.says[cell.day] = {"status": "failed", "error": "no more"}
        if cell.way == "message":
            self._reply(Reply(self.keys[cell][-1], failed="no more"))

    def _reply(self, reply: Reply) -> None:
        with self.broker.channel() as channel:
            publish(channel, reply_queue(reply.key), reply_bytes(reply))

    def _waiting(self, key: str) -> int | None:
        with self.broker.channel() as channel:
            return count_replies(channel, key)

    def _key(self, cell: Cell) -> str:
        record = self.record(cell)
        assert record is not None
        return record.key(RunId(cell.report, self.runs[cell]).task_key)

    def _state(self, cell: Cell) -> str | None:
        return self._states.get((self.runs[cell], FETCH))

    def _is_over(self, cell: Cell) -> bool:
        if cell in self._pids:  # the process outlives its run for a moment
            return not psutil.pid_exists(self._pids[cell])
        return self._states.get((self.runs[cell], "")) in FINISHED

    def _look(self) -> None:
        """Ask once for everything, since the machine is small."""
        runs = self._pages("dagRuns", "dag_runs")
        self._states = {(run["dag_run_id"], ""): run["state"] for run in runs}
        tasks = self._pages(f"dagRuns/{EVERY_RUN}/taskInstances", "task_instances")
        self._states |= {(task["dag_run_id"], task["task_id"]): task["state"] for task in tasks}

    def _pages(self, path: str, items: str) -> Iterator[dict[str, Any]]:
        for report in self._reports:
            yield from self.live.api.pages(f"dags/{report}/{path}", items)

    @cached_property
    def _reports(self) -> set[str]:
        return {cell.report for cell in self.runs}
