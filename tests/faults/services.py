"""The services that the harness's own reports ask over HTTP, and their faults."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Lock, Thread
from typing import Any

import requests

from tests.faults.orders import Orders
from tests.faults.samples import rows_of
from tests.faults.subject import Case
from tests.integration import hostile_http
from tests.integration.scripted_service import Reply, Request

PAGES = 3
WORK_SECONDS = 1.0
SLOW_SECONDS, LATE_SECONDS = 6.0, 8.0
CALLS_FOR, CALL_PAUSE = 90.0, 1.0  # a service calls again as long as nobody answers


@dataclass
class Job:
    """A job that was asked for.

    Attributes:
        case: what it is for.
        source: who asked.
        done_at: when it is done, on this machine's steady clock.
        state: what became of it: empty, `failed`, `collected` or `cancelled`.
    """

    case: Case
    source: str
    done_at: float
    state: str = ""

    def status(self) -> dict[str, Any]:
        """Return what the service says of it."""
        if self.state == "failed":
            return {"status": "failed", "error": "ordered by the harness"}
        return {"status": "done" if time.monotonic() >= self.done_at else "running"}


@dataclass
class HttpServices:
    """All services that are asked over HTTP.

    Attributes:
        orders: the cases that are under way, and the faults of their services.
        jobs: jobs per id.
        keys: id of the job per idempotency key.
    """

    orders: Orders
    jobs: dict[str, Job] = field(default_factory=dict)
    keys: dict[str, str] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def answer(self, request: Request) -> Reply:
        """Answer one request."""
        kind = request.path.split("/")[1]
        if kind == "rows":
            return self._page(request)
        if request.method == "POST":
            return self._take(request)
        job = self.jobs[request.path.split("/")[2]]
        if request.method == "DELETE":
            return self._cancel(job)
        return self._result(job) if request.path.endswith("/result") else self._status(job)

    def _page(self, request: Request) -> Reply:
        _, _, report, source = request.path.split("/")
        case = self.orders.case(report, request.query["period"])
        rows, at = rows_of(case, source), int(request.query.get("cursor", 0))
        size = -(-len(rows) // PAGES)
        end = at + size
        more = {"next": str(end)} if end < len(rows) else {}
        good = Reply(_json({"items": _plain(rows[at:end]), **more}))
        fault = self.orders.due(case.key, f"fetch_{source}")
        return good if fault is None else getattr(hostile_http, fault)(good)

    def _take(self, request: Request) -> Reply:
        asked = json.loads(request.body)
        case = self.orders.case(asked["report"], asked["period"])
        fault = self.orders.due(case.key, f"fetch_{asked['source']}")
        if fault == "away":
            return Reply(b"maintenance", 503)
        with self._lock:
            name = self.keys.setdefault(
                request.headers["Idempotency-Key"], f"job-{len(self.keys) + 1}"
            )
            is_new = name not in self.jobs
            job = self.jobs.setdefault(
                name, Job(case, asked["source"], time.monotonic() + _work(fault))
            )
        if fault == "job fails":
            job.state = job.state or "failed"
        if is_new and "callback_url" in asked:
            self._call(asked["callback_url"], job, fault)
        if fault in ("result cut", "cancel refused"):
            self.orders.put_off(case.key, f"fetch_{asked['source']}", fault)
        return Reply(is_cut=True) if fault == "answer lost" else Reply(_json({"id": name}), 202)

    def _status(self, job: Job) -> Reply:
        return Reply(_json(job.status()))

    def _result(self, job: Job) -> Reply:
        good = Reply(_json({"items": _plain(rows_of(job.case, job.source))}))
        if self.orders.take_off(job.case.key, f"fetch_{job.source}", "result cut"):
            return hostile_http.cut_short(good)
        job.state = "collected"
        return good

    def _cancel(self, job: Job) -> Reply:
        if self.orders.take_off(job.case.key, f"fetch_{job.source}", "cancel refused"):
            return Reply(status=503)
        job.state = job.state or "cancelled"
        return Reply(status=204)

    def _call(self, address: str, job: Job, fault: str | None) -> None:
        calls = [job.status() if job.state else {"status": "done"}]
        if fault == "call twice":
            calls *= 2
        if fault == "call contrary":
            calls.append({"status": "failed", "error": "no"})
        if fault == "call first":
            job.done_at = 0.0
        wait = {"call first": 0.0, "call late": LATE_SECONDS}.get(str(fault), WORK_SECONDS)
        thread = Thread(target=_call_all, args=(address, calls, wait), daemon=True)
        thread.start()
        if fault == "call first":
            thread.join()


def _work(fault: str | None) -> float:
    return SLOW_SECONDS if fault == "slow" else WORK_SECONDS


def _call_all(address: str, calls: list[dict[str, Any]], wait: float) -> None:
    time.sleep(wait)
    for call in calls:
        deadline = time.monotonic() + CALLS_FOR
        while not _is_heard(address, call) and time.monotonic() < deadline:
            time.sleep(CALL_PAUSE)


def _is_heard(address: str, call: Mapping[str, Any]) -> bool:
    try:
        return requests.post(address, json=call, timeout=10).status_code < 500
    except requests.RequestException:
        return False


def _plain(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return rows for JSON: amounts keep their digits as text."""
    return [
        {**row, "amount": None if row["amount"] is None else str(row["amount"])} for row in rows
    ]


def _json(content: Any) -> bytes:
    return json.dumps(content).encode()
