"""The tests' own service of jobs: one per idempotency key, each for a day that a test steers."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from threading import Event, Thread
from typing import Any

import requests

from tests.integration.scripted_service import Reply, Request

HELD_SECONDS = 90
ROWS = [{"id": 1, "name": "a"}, {"id": 2, "name": "b"}]


@dataclass
class DayJobs:
    """What the service has been asked, and what it says.

    Attributes:
        days: day per job.
        jobs: job per idempotency key.
        says: status of the jobs of a day; `done` where there is none.
        cancelled: jobs that were cancelled.
        kept: days whose jobs cannot be cancelled now.
        calls: what is sent to the callback address of a day, before the request is answered.
        receipts: status and body of what the address answered, per day.
        holds: what keeps the first answer back, per day and kind of request, `submit` or `result`.
        held: those whose answer is, or was, kept back.
    """

    days: dict[str, str] = field(default_factory=dict)
    jobs: dict[str, str] = field(default_factory=dict)
    says: dict[str, dict[str, Any]] = field(default_factory=dict)
    cancelled: list[str] = field(default_factory=list)
    kept: set[str] = field(default_factory=set)
    calls: dict[str, list[bytes]] = field(default_factory=dict)
    addresses: dict[str, str] = field(default_factory=dict)
    receipts: dict[str, list[tuple[int, str]]] = field(default_factory=dict)
    holds: dict[tuple[str, str], Event] = field(default_factory=dict)
    held: set[tuple[str, str]] = field(default_factory=set)

    def of(self, day: str) -> list[str]:
        """Return the jobs of a day."""
        return [job for job, its_day in self.days.items() if its_day == day]

    def answer(self, request: Request) -> Reply:
        """Answer one request."""
        if request.method == "POST":
            return self._take(request)
        job = request.path.split("/")[2]
        if request.method == "DELETE" and self.days[job] in self.kept:
            return Reply(status=503)
        if request.method == "DELETE":
            self.cancelled.append(job)
            return Reply(status=204)
        if request.path.endswith("/result"):
            self._hold("result", self.days[job])
            return Reply(json.dumps({"items": ROWS}).encode())
        return Reply(json.dumps(self.says.get(self.days[job], {"status": "done"})).encode())

    def call(self, day: str, body: bytes) -> tuple[int, str]:
        """Call the address of a day back."""
        found = requests.post(self.addresses[day], data=body, timeout=10)
        return found.status_code, found.text

    def _take(self, request: Request) -> Reply:
        asked = json.loads(request.body)
        key = request.headers["Idempotency-Key"]
        job = self.jobs.setdefault(key, f"job-{len(self.jobs) + 1}")
        day = self.days[job] = asked["day"]
        if address := asked.get("callback_url"):
            self.addresses[day] = address
            # Before the answer to the request, as a quick service may.
            calls = Thread(target=self._call_all, args=(day,))
            calls.start()
            calls.join()
        self._hold("submit", day)
        return Reply(json.dumps({"id": job}).encode(), 202)

    def _hold(self, kind: str, day: str) -> None:
        if hold := self.holds.pop((kind, day), None):
            self.held.add((kind, day))
            hold.wait(HELD_SECONDS)

    def _call_all(self, day: str) -> None:
        for body in self.calls.get(day, ()):
            self.receipts.setdefault(day, []).append(self.call(day, body))
