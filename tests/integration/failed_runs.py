"""An Airflow with failed runs, as far as the janitor asks it, and what the runs have left."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from types import SimpleNamespace
from typing import Any
from urllib.parse import unquote

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from reporting.core.objects import Bucket
from reporting.core.run import RunId
from reporting.core.saga import Places
from reporting.core.service.request_record import RequestRecord, RequestRecords, life_of
from reporting.core.warehouse.claim import take_claim
from reporting.core.warehouse.reports import remember_report
from reporting.core.warehouse.runs import register_staging
from reporting.definition.report import Report
from tests.integration.scripted_service import Reply, Request, serving
from tests.specimens import a_run

STARTED = datetime(2024, 5, 2, 5, tzinfo=UTC)
STATES = {"init": "success", "fetch_orders": "failed", "compensate": "skipped"}


@dataclass
class Airflow:
    """As much of Airflow as the janitor asks of.

    Attributes:
        report: of all its runs.
        ended: when each run has failed.
        broken: status of what it is answered when the tasks of a run are asked for.
        asked: paths that were asked for, without those of the login.
        looked: runs that were looked at over the Execution API.
        cleared: runs that were cleared.
    """

    report: Report
    ended: dict[str, datetime] = field(default_factory=dict)
    broken: dict[str, int] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    looked: list[str] = field(default_factory=list)
    cleared: list[str] = field(default_factory=list)

    @property
    def context(self) -> Any:
        """Of the janitor's task."""
        count = lambda dag_id, run_ids, states: sum(run in self.ended for run in run_ids)  # noqa: E731, ARG005
        return {"ti": SimpleNamespace(get_dr_count=count, xcom_pull=lambda **_: None)}

    def send(self, message: Any) -> Any:
        """Answer what a task asks its supervisor."""
        self.looked.append(message.run_id)
        has_worked = message.run_id not in self.cleared
        return SimpleNamespace(
            dag_id=self.report.name,
            run_id=message.run_id,
            clear_number=0 if has_worked else 1,
            start_date=STARTED,
            state="failed" if has_worked else "running",
        )

    def answer(self, request: Request) -> Reply:
        """Answer over REST."""
        if request.path.endswith("/token"):
            return Reply(b'{"access_token": "t"}')
        path = unquote(request.path.removeprefix("/api/v2/"))
        self.asked.append(path)
        run_id = path.split("/")[3] if path.count("/") > 2 else ""
        if path.endswith("/taskInstances") and run_id in self.broken:
            return Reply(b"{}", status=self.broken[run_id])
        if path.endswith("/clear"):
            self.cleared.append(run_id)
        return Reply(json.dumps(self._told(path)).encode())

    def _told(self, path: str) -> dict[str, Any]:
        name = self.report.name
        if path == "dags":
            about = {"dag_id": name, "dag_display_name": self.report.title, "is_stale": False}
            return {"dags": [about], "total_entries": 1}
        if path == "dags/~/dagRuns":
            runs = [
                {"dag_id": name, "dag_run_id": run, "conf": {}, "end_date": ended.isoformat()}
                for run, ended in self.ended.items()
                if run not in self.cleared
            ]
            return {"dag_runs": runs, "total_entries": len(runs)}
        if path.endswith("/taskInstances"):
            tasks = [{"task_id": task, "state": state} for task, state in STATES.items()]
            return {"task_instances": tasks, "total_entries": len(tasks)}
        if path == "eventLogs":
            return {"event_logs": [], "total_entries": 0}
        return {"is_paused": False, "is_stale": False, "note": None}


@dataclass(frozen=True)
class Ground:
    """Airflow, and the places where its failed runs have left something."""

    airflow: Airflow
    warehouse: psycopg.Connection[Any]
    staging: Bucket

    def fails(self, run_id: str, conn_id: str | None = None) -> RunId:
        """Let a run fail that holds its claim, and has asked a service for a job."""
        run = a_run(self.airflow.report.name, run_id, date(2024, 4, 1 + len(self.airflow.ended)))
        run = replace(run, id=replace(run.id, started=STARTED.isoformat()))
        self.airflow.ended[run_id] = datetime.now(UTC) - timedelta(minutes=1)
        take_claim(self.warehouse, run)
        register_staging(self.warehouse, run, timedelta(days=1))
        if conn_id is not None:
            record = RequestRecord(
                "orders", life_of(run.id), 1, "http", conn_id, run.id.started, "/jobs",
                cancel="/jobs/{id}", job="1",
            )  # fmt: skip
            RequestRecords(self.staging, run.id).write(record)
        return run.id

    def claims(self) -> list[str]:
        """Return the runs that hold a claim."""
        query = "SELECT run_id FROM reporting.claim ORDER BY run_id"
        return [row[0] for row in self.warehouse.execute(query.encode())]


@contextmanager
def ground(report: Report, dsn: str, places: Places) -> Iterator[Ground]:
    """Run an Airflow without any run, and name its connections in the environment."""
    from airflow.sdk.execution_time import task_runner

    airflow, patch = Airflow(report), pytest.MonkeyPatch()
    with serving(airflow.answer) as service, patch.context() as names:
        names.setenv("AIRFLOW_CONN_AIRFLOW_API", connection("http", service.url))
        names.setenv("AIRFLOW_CONN_REPORT_WAREHOUSE", database_connection(dsn))
        names.setattr(task_runner, "SUPERVISOR_COMMS", airflow, raising=False)
        remember_report(places.warehouse, report)
        yield Ground(airflow, places.warehouse, places.staging)


def connection(kind: str, host: str, port: int | None = None, **extra: Any) -> str:
    """Return a connection of Airflow as its environment names it."""
    where = {"conn_type": kind, "host": host, "port": port, "login": "a", "password": "b"}
    return json.dumps(where | {"extra": extra})


def database_connection(dsn: str) -> str:
    """Return the connection of a database as the environment of Airflow names it."""
    found = conninfo_to_dict(dsn)
    return json.dumps(
        {
            "conn_type": "postgres",
            "host": found["host"],
            "port": int(str(found["port"])),
            "login": found["user"],
            "password": found.get("password"),
            "schema": found["dbname"],
        }
    )
