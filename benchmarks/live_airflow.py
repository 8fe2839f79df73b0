"""A whole Airflow of its own for a benchmark, and what a benchmark asks it."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from embedded_stack.layout import CHECKOUT
from embedded_stack.ports import Ports
from embedded_stack.stack import Stack
from reporting.core.airflow_api import AirflowApi
from reporting.errors import ReportError

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


@dataclass(frozen=True)
class LiveAirflow:
    """A running Airflow."""

    stack: Stack
    api: AirflowApi

    def until_known(self, *dag_ids: str) -> None:
        """Wait until Airflow knows some DAGs."""
        until(lambda: set(dag_ids) <= self._known())

    def seconds(self, dag_id: str, conf: Mapping[str, Any]) -> tuple[str, float]:
        """Run a DAG; return the run's id and how long it took, from queued to its end."""
        run_id = str(self.api.trigger(dag_id, conf)["dag_run_id"])
        run = until(lambda: self._ended(dag_id, run_id))
        if run["state"] != "success":
            raise RuntimeError(f"{dag_id} {run_id} ended {run['state']}; nothing was measured.")
        start, end = (datetime.fromisoformat(run[name]) for name in ("queued_at", "end_date"))
        return run_id, (end - start).total_seconds()

    def _ended(self, dag_id: str, run_id: str) -> dict[str, Any] | None:
        run = self.api.run(dag_id, run_id)
        return run if run["state"] in ("success", "failed") else None

    def _known(self) -> set[str]:
        try:
            return {dag["dag_id"] for dag in self.api.pages("dags", "dags")}
        except ReportError:
            return set()


@contextmanager
def live_airflow(settings: Mapping[str, str]) -> Iterator[LiveAirflow]:
    """Start an Airflow that also has the DAGs of the benchmarks, and remove it afterwards."""
    stack = Stack(HOME, Ports.free(), settings={**SETTINGS, **settings})
    try:
        stack.up()
        known = json.loads(stack.environment()["AIRFLOW_CONN_AIRFLOW_API"])
        address = f"http://{known['host']}:{known['port']}"
        yield LiveAirflow(stack, AirflowApi(address, known["login"], known["password"]))
    finally:
        stack.down()
        shutil.rmtree(HOME, ignore_errors=True)


def until(look: Callable[[], Any], seconds: float = 180) -> Any:
    """Return the first truthy answer of `look`."""
    deadline = time.monotonic() + seconds
    while not (found := look()):
        if time.monotonic() > deadline:
            raise TimeoutError(f"nothing came within {seconds} s")
        time.sleep(0.5)
    return found
