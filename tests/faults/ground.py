"""The stack on which plans are played, and what all of them share there."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from uuid import uuid4

from embedded_stack.layout import CHECKOUT
from embedded_stack.ports import Ports
from embedded_stack.stack import Stack
from reporting.core.service.broker import Broker
from tests.e2e.live import Live, eventually
from tests.faults.airflow_records import AirflowRecords
from tests.faults.markers import Markers
from tests.faults.messages import MessageService
from tests.faults.orders import Orders
from tests.faults.services import HttpServices
from tests.faults.strikes import FOLDER
from tests.integration.scripted_service import serving

HERE = Path(__file__).parent
OWN_DAGS = HERE / "dags"


@dataclass(frozen=True)
class Ground:
    """A stack for plans.

    Attributes:
        stack: its services.
        markers: what is to happen in task processes.
        orders: what the services are to do.
        http: the services that are asked over HTTP.
        records: what Airflow has written down.
        mending: held while the stack is not whole.
        kills: when parts of the stack were killed, by the steady clock.
    """

    stack: Stack
    markers: Markers
    orders: Orders
    http: HttpServices
    records: AirflowRecords
    mending: Lock = field(default_factory=Lock)
    kills: list[float] = field(default_factory=list)

    def live(self) -> Live:
        """Return clients of the stack, for one thread."""
        return Live(self.stack)


@contextmanager
def standing(home: Path, reports: Sequence[str]) -> Iterator[Ground]:
    """Start a fresh stack with the harness's services, and stop it afterwards."""
    orders = Orders()
    http = HttpServices(orders)
    with serving(http.answer) as service:
        Stack(home, Ports.free(), write=_say_nothing).down()
        shutil.rmtree(home, ignore_errors=True)
        ports = Ports.free()
        settings = _settings(ports, home, service.url)
        stack = Stack(home, ports, settings=settings, write=_say_nothing)
        records = AirflowRecords(stack.dsn("airflow", "airflow"))
        try:
            stack.up()
            ground = Ground(stack, Markers(home / "faults"), orders, http, records)
            MessageService(_broker(ground.live()), orders).start()
            _await_reports(ground, reports)
            yield ground
        finally:
            records.close()
            stack.down()


def _await_reports(ground: Ground, reports: Sequence[str]) -> None:
    wanted = {"report_janitor", *reports}
    api = ground.live().api
    eventually(
        "the reports to be known",
        lambda: {dag["dag_id"] for dag in api.pages("dags", "dags")} >= wanted,
    )


def _broker(live: Live) -> Broker:
    known = live.connection("REPORTS_BROKER")
    return Broker(known["host"], known["port"], known["login"], known["password"], known["schema"])


def _settings(ports: Ports, home: Path, service: str) -> dict[str, str]:
    bundles = [
        {
            "name": name,
            "classpath": "airflow.dag_processing.bundles.local.LocalDagBundle",
            "kwargs": {"path": str(path), "refresh_interval": 10},
        }
        for name, path in (("dags-folder", CHECKOUT / "dags"), ("chaos", OWN_DAGS))
    ]
    code = (CHECKOUT / "include", CHECKOUT, HERE / "settings")
    return {
        FOLDER: str(home.absolute() / "faults"),
        "PYTHONPATH": ":".join(map(str, code)),
        "AIRFLOW__DAG_PROCESSOR__DAG_BUNDLE_CONFIG_LIST": json.dumps(bundles),
        "AIRFLOW__CORE__DAGS_ARE_PAUSED_AT_CREATION": "False",
        "AIRFLOW_CONN_CHAOS_API": json.dumps({"conn_type": "http", "host": service}),
        "REPORTING_CALLBACK_URL": f"http://127.0.0.1:{ports.web}",
        "REPORTING_CALLBACK_SECRET": uuid4().hex,
        "AIRFLOW__DAG_PROCESSOR__MIN_FILE_PROCESS_INTERVAL": "600",  # no file changes
        # Runs that lose their worker are found soon.
        "AIRFLOW__SCHEDULER__TASK_INSTANCE_HEARTBEAT_TIMEOUT": "15",
        # The harness starts the janitor itself, when all runs have ended.
        "REPORTING_JANITOR_MINUTES": "1440",
    }


def _say_nothing(_: str) -> None:
    """Leave the progress of the stack out of that of the plans."""
