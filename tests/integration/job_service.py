"""A service that keeps jobs, as a test says: a real server, asked by the real client."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from reporting.core.fetch.client import Client
from reporting.core.fetch.endpoint import Endpoint
from reporting.core.fetch.limits import limits_from_now
from tests.integration.scripted_service import Reply, Request, Service, serving

ROWS = [{"id": 1, "name": "a"}, {"id": 2, "name": "b"}]


def as_json(content: Any, status: int = 200) -> Reply:
    """Return JSON."""
    return Reply(json.dumps(content).encode(), status)


@dataclass
class Jobs:
    """The jobs of a service: one per idempotency key.

    Attributes:
        by_key: id of the job per key.
        cancelled: ids.
        status: what is told of any job.
        before: may answer instead of the service, or return None.
    """

    by_key: dict[str, str] = field(default_factory=dict)
    cancelled: list[str] = field(default_factory=list)
    status: dict[str, Any] = field(default_factory=lambda: {"status": "done"})
    before: Callable[[Request], Reply | None] = lambda _request: None

    def answer(self, request: Request) -> Reply:
        """Answer as a service that keeps its word."""
        made = self._make(request) if request.method == "POST" else None
        special = self.before(request)
        if special is not None:
            return special
        if made is not None:
            return as_json({"id": made}, 202)
        job = request.path.split("/")[2]
        if request.method == "DELETE":
            self.cancelled.append(job)
            return Reply(status=204)
        return as_json({"items": ROWS} if request.path.endswith("/result") else self.status)

    def _make(self, request: Request) -> str:
        key = request.headers["Idempotency-Key"]
        return self.by_key.setdefault(key, f"job-{len(self.by_key) + 1}")


@contextmanager
def asking(jobs: Jobs) -> Iterator[tuple[Service, Client]]:
    """Run the service, with a client of it."""
    limits = limits_from_now(2, 2, timedelta(seconds=20), 10**7)
    with (
        serving(jobs.answer) as service,
        Client("Source 'orders'", Endpoint(service.url), limits) as client,
    ):
        yield service, client
