"""What a report waits for: nothing of others' slow sources, and little once its own are there.

On four worker slots and with the pauses of the scheduler that Airflow has by default. First a quick
report is run alone: how long it takes, and how long from the last source's commit to the start of
`compute`.
Then 200 runs of other reports wait for services that never answer, half of them for a job and half
for a message; the task processes that are alive are counted, and the quick report is run again.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

from benchmarks.figure import Figure, middle, ratio
from benchmarks.live_airflow import LiveAirflow, live_airflow, until
from embedded_stack import broker, store
from reporting.core.airflow_api import run_path
from reporting.core.objects import Bucket
from reporting.core.run import RunId
from reporting.core.staging import Staging
from reporting.queues import declare_request_queue

SLOTS, RUNS, REPORTS, ROUNDS = 4, 200, 20, 5
SLOW_QUEUE = "slow.lookup"
QUICK, SOURCES = "airline_on_time", ("flights", "weather", "planes", "airlines")
START_GOAL, RATIO_GOAL = 5.0, 1.25
DEFAULTS = {
    "AIRFLOW__CORE__PARALLELISM": str(SLOTS),
    "AIRFLOW__SCHEDULER__SCHEDULER_IDLE_SLEEP_TIME": "1",
    "AIRFLOW__SCHEDULER__JOB_HEARTBEAT_SEC": "5",
    "AIRFLOW__TRIGGERER__JOB_HEARTBEAT_SEC": "5",
    "AIRFLOW__WORKERS__MIN_HEARTBEAT_INTERVAL": "5",
}


def measure() -> list[Figure]:
    """Return the figures, measured on a stack of its own that is removed afterwards."""
    with _slow_service() as url:
        slow_api = json.dumps({"conn_type": "http", "host": url})
        with live_airflow({**DEFAULTS, "AIRFLOW_CONN_SLOW_API": slow_api}) as airflow:
            return _measured(airflow)


def _measured(airflow: LiveAirflow) -> list[Figure]:
    names = [f"slow_{number:02d}" for number in range(REPORTS)]
    airflow.until_known(QUICK, *names)
    airflow.seconds(QUICK, {"period": "2013-02-01"})  # warms caches and creates the warehouse
    alone, starts = _rounds(airflow, date(2013, 3, 1))
    _let_wait(airflow, names)
    held = _running(airflow)
    beside, _ = _rounds(airflow, date(2013, 4, 1))
    compared = f"alone {middle(alone):g} s; beside {RUNS} waiting runs {middle(beside):g} s"
    return [
        Figure("last commit to the start of compute", middle(starts), "s", START_GOAL, "no peer"),
        Figure(f"task processes of {RUNS} waiting runs", held, "", 0, f"{SLOTS} slots"),
        Figure(
            f"a quick run beside {RUNS} waiting ones",
            ratio(middle(beside), middle(alone)),
            "x",
            RATIO_GOAL,
            compared,
        ),
    ]


def _rounds(airflow: LiveAirflow, first: date) -> tuple[list[float], list[float]]:
    """Return how long runs take, and how long `compute` lets them wait, in seconds."""
    took, starts = [], []
    for day in range(ROUNDS):
        period = (first + timedelta(days=day)).isoformat()
        run_id, seconds = airflow.seconds(QUICK, {"period": period})
        took.append(seconds)
        starts.append(_until_compute(airflow, run_id))
        print(f"  run {seconds:.1f} s, to compute {starts[-1]:.1f} s", flush=True)
    return took, starts


def _until_compute(airflow: LiveAirflow, run_id: str) -> float:
    staging = Staging(Bucket(store.client(airflow.stack.layout), "staging"), RunId(QUICK, run_id))
    manifests = [staging.manifest(source) for source in SOURCES]
    commits = [datetime.fromisoformat(one.committed_at) for one in manifests if one is not None]
    compute = airflow.api.get(f"{run_path(QUICK, run_id)}/taskInstances/compute")
    return (datetime.fromisoformat(compute["start_date"]) - max(commits)).total_seconds()


def _let_wait(airflow: LiveAirflow, names: list[str]) -> None:
    """Start so many runs, and return when all of them wait."""
    logging.getLogger("pika").setLevel(logging.WARNING)  # fifteen lines for a connection
    with broker.connect(airflow.stack.layout) as connection:
        declare_request_queue(connection.channel(), SLOW_QUEUE)
    for number in range(RUNS):
        day = date(2013, 1, 1) + timedelta(days=number // len(names))
        airflow.api.trigger(names[number % len(names)], {"period": day.isoformat()})
    until(lambda: _count(airflow, "deferred", task_id="fetch_rows") == RUNS, seconds=1200)
    until(lambda: _running(airflow) == 0, seconds=60)


def _running(airflow: LiveAirflow) -> int:
    return _count(airflow, "running") + _count(airflow, "queued")


def _count(airflow: LiveAirflow, state: str, **more: Any) -> int:
    found = airflow.api.get("dags/~/dagRuns/~/taskInstances", state=state, limit=1, **more)
    return int(found["total_entries"])


class _Slow(BaseHTTPRequestHandler):
    """A service whose jobs go on for ever."""

    def do_POST(self) -> None:
        """Take a job."""
        self._say({"id": self.headers["Idempotency-Key"]})

    def do_GET(self) -> None:
        """Say that it goes on."""
        self._say({"status": "running", "progress": datetime.now(UTC).isoformat()})

    def log_message(self, *_: object) -> None:
        """Say nothing of it."""

    def _say(self, answer: dict[str, Any]) -> None:
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def _slow_service() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Slow) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
