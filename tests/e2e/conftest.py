"""One live stack for all end-to-end tests, fresh for each session."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from embedded_stack.connections import ADMIN
from embedded_stack.layout import CHECKOUT
from embedded_stack.ports import Ports
from embedded_stack.stack import Stack
from reporting.core.airflow_api import AirflowApi
from reporting.errors import ReportError
from tests.e2e.day_jobs import DayJobs
from tests.e2e.live import Live, eventually
from tests.e2e.nothing_left import demand_nothing_left
from tests.integration.scripted_service import serving

HOME = CHECKOUT / "var" / "e2e" / os.environ.get("PYTEST_XDIST_WORKER", "alone")
DAGS = {"airline_on_time", "report_janitor", "patient", "hasty", "unconnected", "pooled"}
DAGS |= {"polling", "called_back", "messaging", "exchange_rates"}
DAGS |= {"told", "announced", "again"}
DAGS |= {"dropped", "not_dropped", "locked_out", "left_out"}
DAGS |= {"clearing"}
ROLES = ("viewer", "user", "op")  # each is a user of that name, too
EXTRA_DAGS = Path(__file__).parent / "dags"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test of this folder."""
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.e2e)


@pytest.fixture(scope="session")
def jobs() -> DayJobs:
    """What the tests' own service of jobs says."""
    return DayJobs()


@pytest.fixture(scope="session")
def stack(jobs: DayJobs) -> Iterator[Stack]:
    """A whole stack with the tests' DAGs beside the project's, and the service these ask."""
    with serving(jobs.answer) as service:
        yield from _stack(service.url)


def _stack(jobs_url: str) -> Iterator[Stack]:
    stack = Stack(HOME, Ports.free())
    stack.down()
    shutil.rmtree(HOME, ignore_errors=True)
    ports = Ports.free()
    own_dags(HOME).mkdir(parents=True)
    stack = Stack(HOME, ports, settings=_settings(ports, jobs_url))
    try:
        stack.up()
        yield stack
    finally:
        stack.down()


@pytest.fixture(scope="session")
def live(stack: Stack) -> Iterator[Live]:
    """The stack, once Airflow knows every DAG; when all tests have ended, nothing may be left."""
    live = Live(stack)
    eventually("DAGs to be known", lambda: _known(live.api) >= DAGS)
    yield live
    demand_nothing_left(live)


def _known(api: AirflowApi) -> set[str]:
    try:
        return {dag["dag_id"] for dag in api.pages("dags", "dags")}
    except ReportError:
        return set()


def own_dags(home: Path) -> Path:
    """Return the folder for DAG files that a test writes, of this stack alone."""
    return home / "own-dags"


def _settings(ports: Ports, jobs_url: str) -> dict[str, str]:
    bundles = [
        {
            "name": name,
            "classpath": "airflow.dag_processing.bundles.local.LocalDagBundle",
            "kwargs": {"path": str(path), "refresh_interval": 10},
        }
        for name, path in (
            ("dags-folder", CHECKOUT / "dags"),
            ("switchboard", EXTRA_DAGS),
            ("own-dags", own_dags(HOME)),
        )
    ]
    return {
        "AIRFLOW__DAG_PROCESSOR__DAG_BUNDLE_CONFIG_LIST": json.dumps(bundles),
        "AIRFLOW__CORE__DAGS_ARE_PAUSED_AT_CREATION": "False",
        "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_USERS": ",".join(
            [f"{ADMIN}:admin", *(f"{role}:{role}" for role in ROLES)]
        ),
        "AIRFLOW_CONN_JOBS_API": json.dumps({"conn_type": "http", "host": jobs_url}),
        # Nothing listens on port 1.
        "AIRFLOW_CONN_SLACK_AWAY": json.dumps(
            {"conn_type": "slackwebhook", "host": "http://127.0.0.1:1", "password": "T0/B0/away"}
        ),
        "AIRFLOW_CONN_LANDING_LOCKED": json.dumps(_wrong_login(ports)),
        "REPORTING_CALLBACK_URL": f"http://127.0.0.1:{ports.web}",
        "REPORTING_CALLBACK_SECRET": uuid4().hex,
        # New files and changed ones are read at once all the same.
        "AIRFLOW__DAG_PROCESSOR__MIN_FILE_PROCESS_INTERVAL": "600",
        # Runs that lose their worker are found within the patience of a test.
        "AIRFLOW__SCHEDULER__TASK_INSTANCE_HEARTBEAT_TIMEOUT": "15",
        # The tests start the janitor themselves, so that it interferes with none of them.
        "REPORTING_JANITOR_MINUTES": "1440",
    }


def _wrong_login(ports: Ports) -> dict[str, Any]:
    endpoint = {"endpoint_url": f"http://127.0.0.1:{ports.s3}", "region_name": "us-east-1"}
    return {"conn_type": "aws", "login": "nobody", "password": "no secret", "extra": endpoint}
