"""The report center with many reports and runs: how long it lets one wait.

500 report types and 100,000 runs are written into the metadata database of a stack made for it,
and a release for each run that succeeded. Every route of the API and every page that reads is asked
for 40 times, one request after the other, by a user whose rights are looked up report by report.
What counts is the 95th percentile, the first request included.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from statistics import quantiles
from typing import TYPE_CHECKING, Any

import psycopg
import requests

from benchmarks.figure import Figure
from benchmarks.live_airflow import until
from benchmarks.many_runs import PLACEHOLDER, Many, write_releases, write_runs
from embedded_stack.airflow_services import API_SERVER
from embedded_stack.airflow_settings import password_file
from embedded_stack.databases import AIRFLOW, WAREHOUSE
from embedded_stack.layout import CHECKOUT
from embedded_stack.ports import Ports
from embedded_stack.stack import Stack
from reporting.airflow_edge.dag import build_dag
from reporting.core.warehouse.schema import ensure_schema
from reporting.definition.daily import Daily
from reporting.definition.report import Report
from reporting.definition.sources import PostgresSource
from reporting.definition.tables import Table

if TYPE_CHECKING:
    import pandas as pd

    from reporting.core.inputs import Inputs

HOME = CHECKOUT / "var" / "bench" / "center"
MANY = Many(reports=500, runs=100_000)
ASKED, GOAL_MS = 40, 300
VIEWER = "viewer"
SETTINGS = {"AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_USERS": f"admin:admin,{VIEWER}:viewer"}
# Run n is of report 1 + n % 500; every 50th is under way, every tenth has failed.
GOOD, FAILED, WORKING = (
    (f"report_{1 + n % MANY.reports:04d}", f"run_{n}") for n in (99_007, 99_010, 99_501)
)
PATHS = (
    "/api/reports",
    f"/api/reports/{GOOD[0]}",
    "/api/runs",
    "/api/runs?state=FAILED",
    "/api/runs?state=FETCHING_DATA",
    "/api/runs?period_from=2000-01-01&period_to=2000-02-01",
    "/api/runs?triggered_by=nobody",
    f"/api/runs?report={GOOD[0]}",
    "/api/reports/{}/runs/{}".format(*GOOD),
    "/api/reports/{}/runs/{}".format(*FAILED),
    "/api/reports/{}/runs/{}/progress".format(*WORKING),
    "/api/reports/{}/runs/{}/result".format(*GOOD),
    "/api/releases",
    f"/api/releases?report={GOOD[0]}",
    "/api/releases/1",
    "/api/health",
    "/api/dead-letters",
    "/",
    "/runs",
    "/runs/{}/{}".format(*GOOD),
    "/runs/{}/{}".format(*WORKING),
    f"/report/{GOOD[0]}",
    "/dead-letters",
    "/health",
)


def compute(inputs: Inputs) -> Mapping[str, pd.DataFrame]:
    """Return the source as it is; it is never run."""
    return {"totals": inputs.frame("orders")}


REPORT = Report(
    name=PLACEHOLDER,
    title="Orders",
    schedule=Daily(at="06:00", timezone="Europe/Berlin"),
    sources=[PostgresSource("orders", "orders_db", sql="SELECT 1", columns={"id": "int64"})],
    compute=compute,
    tables=[Table("totals", key=["id"], columns={"id": "int64"})],
)


def measure() -> list[Figure]:
    """Return a figure per route, measured on a stack of its own that is removed afterwards."""
    with _filled_stack() as stack:
        known = json.loads(stack.environment()["AIRFLOW_CONN_AIRFLOW_API"])
        address = f"http://{known['host']}:{known['port']}"
        session = _logged_in(stack, address)
        return [_figure(session, f"{address}/reports", path) for path in PATHS]


def _figure(session: requests.Session, place: str, path: str) -> Figure:
    took = []
    for _ in range(ASKED):
        started = time.perf_counter()
        answer = session.get(place + path, timeout=60)
        took.append((time.perf_counter() - started) * 1000)
        answer.raise_for_status()
    print(f"  {path}: {max(took):.0f} ms at most", flush=True)
    compared = f"the middle one {quantiles(took, n=2)[0]:.0f} ms, {len(answer.content):,} bytes"
    return Figure(f"GET /reports{path}", round(_late(took)), "ms", GOAL_MS, compared)


def _late(values: Sequence[float]) -> float:
    """Return the 95th percentile."""
    return quantiles(values, n=20)[-1]


def _logged_in(stack: Stack, address: str) -> requests.Session:
    file = password_file(stack.layout)
    passwords = until(lambda: _with_viewer(json.loads(file.read_text())))
    login = {"username": VIEWER, "password": passwords[VIEWER]}
    token = requests.post(f"{address}/auth/token", json=login, timeout=60).json()["access_token"]
    session = requests.Session()
    session.headers["Authorization"] = f"Bearer {token}"
    return session


def _with_viewer(passwords: dict[str, str]) -> dict[str, str] | None:
    return passwords if VIEWER in passwords else None


@contextmanager
def _filled_stack() -> Iterator[Stack]:
    """Start what answers, without what would run or forget the reports, and fill it."""
    stack = Stack(HOME, Ports.free(), settings=SETTINGS)
    try:
        stack.up(["postgres", "store", API_SERVER])
        started = time.perf_counter()
        with psycopg.connect(stack.dsn(AIRFLOW.name, AIRFLOW.owner), autocommit=True) as airflow:
            write_runs(airflow, MANY, _dag())
        with psycopg.connect(stack.dsn(WAREHOUSE.name, WAREHOUSE.owner), autocommit=True) as it:
            ensure_schema(it)
            write_releases(it, MANY)
        print(f"  {MANY.runs:,} runs in {time.perf_counter() - started:.0f} s", flush=True)
        yield stack
    finally:
        stack.down()
        shutil.rmtree(HOME, ignore_errors=True)


def _dag() -> dict[str, Any]:
    """Return the DAG of a small report as Airflow keeps it."""
    from airflow.serialization.serialized_objects import DagSerialization

    dag: dict[str, Any] = DagSerialization.to_dict(build_dag(REPORT))
    return dag
