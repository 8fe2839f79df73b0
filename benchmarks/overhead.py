"""Wall time of one report run against a bare DAG of the same shape, taken in turns."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable
from datetime import datetime
from typing import Any

from benchmarks.figure import Figure, middle
from embedded_stack.layout import CHECKOUT
from embedded_stack.ports import Ports
from embedded_stack.stack import Stack
from reporting.core.airflow_api import AirflowApi
from reporting.errors import ReportError

GOAL = 1.3
ROUNDS = 7
HOME = CHECKOUT / "var" / "bench" / "stack"
BUNDLES = [
    {
        "name": name,
        "classpath": "airflow.dag_processing.bundles.local.LocalDagBundle",
        "kwargs": {"path": str(CHECKOUT / path)},
    }
    for name, path in (("dags-folder", "dags"), ("benchmarks", "benchmarks/dags"))
]
SETTINGS = {
    "AIRFLOW__DAG_PROCESSOR__DAG_BUNDLE_CONFIG_LIST": json.dumps(BUNDLES),
    "AIRFLOW__CORE__DAGS_ARE_PAUSED_AT_CREATION": "False",
    "REPORTING_JANITOR_MINUTES": "1440",
}


def measure() -> list[Figure]:
    """Return the ratio of the two medians, on a stack of its own that is removed afterwards."""
    stack = Stack(HOME, Ports.free(), settings=SETTINGS)
    try:
        stack.up()
        return [_compare(_api(stack))]
    finally:
        stack.down()
        shutil.rmtree(HOME, ignore_errors=True)


def _compare(api: AirflowApi) -> Figure:
    _await(lambda: {"bare", "airline_on_time"} <= _known(api))
    report, bare = [], []
    for day in range(ROUNDS + 1):
        bare.append(_seconds(api, "bare", {}))
        report.append(_seconds(api, "airline_on_time", {"period": f"2013-01-{day + 1:02d}"}))
        print(f"  round {day}: report {report[-1]:.1f} s, bare {bare[-1]:.1f} s", flush=True)
    # The first round warms caches and creates the warehouse.
    ratio = middle(report[1:]) / middle(bare[1:])
    compared = f"a bare DAG: {middle(bare[1:]):g} s; the report: {middle(report[1:]):g} s"
    return Figure("one airline_on_time run", round(ratio, 2), "x", GOAL, compared)


def _seconds(api: AirflowApi, dag_id: str, conf: dict[str, Any]) -> float:
    run_id = str(api.trigger(dag_id, conf)["dag_run_id"])
    run = _await(lambda: _ended(api, dag_id, run_id))
    if run["state"] != "success":
        raise RuntimeError(f"{dag_id} {run_id} ended {run['state']}; nothing was measured.")
    start, end = (datetime.fromisoformat(run[name]) for name in ("queued_at", "end_date"))
    return (end - start).total_seconds()


def _ended(api: AirflowApi, dag_id: str, run_id: str) -> dict[str, Any] | None:
    run = api.run(dag_id, run_id)
    return run if run["state"] in ("success", "failed") else None


def _known(api: AirflowApi) -> set[str]:
    try:
        return {dag["dag_id"] for dag in api.pages("dags", "dags")}
    except ReportError:
        return set()


def _await(look: Callable[[], Any], seconds: float = 180) -> Any:
    deadline = time.monotonic() + seconds
    while not (found := look()):
        if time.monotonic() > deadline:
            raise TimeoutError(f"nothing came within {seconds} s")
        time.sleep(0.5)
    return found


def _api(stack: Stack) -> AirflowApi:
    known = json.loads(stack.environment()["AIRFLOW_CONN_AIRFLOW_API"])
    address = f"http://{known['host']}:{known['port']}"
    return AirflowApi(address, known["login"], known["password"])
