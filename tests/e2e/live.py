"""A live Airflow as the tests drive it: over its REST API, and by looking at what it leaves."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from email import message_from_bytes, policy
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

import boto3
import psycopg

from embedded_stack.stack import Stack
from reporting.core.airflow_api import AirflowApi, run_path

ENDED = ("success", "failed")
Found = TypeVar("Found")


def eventually(what: str, look: Callable[[], Found | None], seconds: float = 120) -> Found:
    """Return the first truthy answer of `look`; fail when none comes in time."""
    deadline = time.monotonic() + seconds
    while not (found := look()):
        assert time.monotonic() < deadline, f"{what}: not within {seconds} s"
        time.sleep(0.4)
    return found


@dataclass(frozen=True)
class Live:
    """The stack of the tests."""

    stack: Stack

    @cached_property
    def api(self) -> AirflowApi:
        """A logged-in client."""
        known = self.connection("AIRFLOW_API")
        return AirflowApi(
            f"http://{known['host']}:{known['port']}", known["login"], known["password"]
        )

    @property
    def home(self) -> Path:
        """The folder of the stack."""
        return self.stack.home

    def connection(self, name: str) -> dict[str, Any]:
        """Return an Airflow connection of the stack."""
        found: dict[str, Any] = json.loads(self.stack.environment()[f"AIRFLOW_CONN_{name}"])
        return found

    # --- runs

    def trigger(self, report: str, **conf: Any) -> str:
        """Start a run and return its id."""
        return str(self.api.trigger(report, conf)["dag_run_id"])

    def ended(self, report: str, run_id: str, seconds: float = 180) -> str:
        """Wait for the run's end and return its state."""

        def look() -> str | None:
            state = str(self.api.run(report, run_id)["state"])
            return state if state in ENDED else None

        return eventually(f"end of {report} {run_id}", look, seconds)

    def run(self, report: str, **conf: Any) -> str:
        """Run a report to a green end and return the run's id."""
        run_id = self.trigger(report, **conf)
        assert self.ended(report, run_id) == "success", self.api.task_states(report, run_id)
        return run_id

    def states(self, report: str, run_id: str) -> dict[str, str | None]:
        """Return the state per task."""
        return self.api.task_states(report, run_id)

    def task(self, report: str, run_id: str, task: str) -> dict[str, Any]:
        """Return one task of a run, as Airflow's API tells it."""
        return self.api.get(f"{run_path(report, run_id)}/taskInstances/{quote(task)}")

    def await_task(self, report: str, run_id: str, task: str, *states: str) -> dict[str, Any]:
        """Wait until the task is in one of `states`."""

        def look() -> dict[str, Any] | None:
            found = self.task(report, run_id, task)
            return found if found["state"] in states else None

        return eventually(f"{task} {states}", look)

    def clear(self, report: str, run_id: str, task: str, **how: Any) -> None:
        """Clear a task, by default as the button in Airflow's UI does it."""
        body = {
            "dry_run": False,
            "dag_run_id": run_id,
            "task_ids": [task],
            "only_failed": False,
            "include_downstream": True,
            **how,
        }
        self.api.post(f"dags/{report}/clearTaskInstances", body)

    def kill(self, report: str, run_id: str, task: str) -> None:
        """Kill -9 the process that runs the task now."""
        found = eventually(
            f"pid of {task}", lambda: self.await_task(report, run_id, task, "running")["pid"]
        )
        os.kill(found, signal.SIGKILL)

    def failure(self, report: str, run_id: str, task: str) -> str:
        """Return the reason a task left."""
        return str(self.api.xcom(report, run_id, task, "failure"))

    def audited(self, event: str, **which: Any) -> list[str]:
        """Return who has done something, as Airflow's audit log tells."""
        entries = self.api.pages("eventLogs", "event_logs", event=event, **which)
        return [str(entry["owner"]) for entry in entries]

    def janitor(self) -> None:
        """Run the janitor once, to its end."""
        run_id = self.trigger("report_janitor")
        assert self.ended("report_janitor", run_id) == "success"

    # --- what runs leave

    @cached_property
    def warehouse(self) -> psycopg.Connection[Any]:
        """The report warehouse."""
        return self.database("REPORT_WAREHOUSE")

    def database(self, name: str) -> psycopg.Connection[Any]:
        """Open a Postgres connection of the stack."""
        known = self.connection(name)
        return psycopg.connect(
            host=known["host"],
            port=known["port"],
            user=known["login"],
            password=known["password"],
            dbname=known["schema"],
            autocommit=True,
        )

    def rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """Return the rows of a query on the warehouse."""
        return self.warehouse.execute(query.encode(), values).fetchall()

    def superuser(self) -> psycopg.Connection[Any]:
        """Connect as the owner of the database server."""
        return psycopg.connect(self.stack.dsn("postgres", "postgres"), autocommit=True)

    def operations_owner(self) -> psycopg.Connection[Any]:
        """Connect as the owner of the sample's source database."""
        dsn = self.stack.dsn("operations", "operations_owner")
        return psycopg.connect(dsn, autocommit=True)

    def forget_connections(self) -> None:
        """Drop connections that a killed server has cut."""
        for name in ("warehouse", "api"):
            self.__dict__.pop(name, None)

    @cached_property
    def s3(self) -> Any:
        """A client of the S3 store."""
        known = self.connection("REPORT_STORE")
        extra = known["extra"]
        return boto3.client(
            "s3",
            endpoint_url=(json.loads(extra) if isinstance(extra, str) else extra)["endpoint_url"],
            aws_access_key_id=known["login"],
            aws_secret_access_key=known["password"],
            region_name="us-east-1",
        )

    def keys(self, bucket: str, prefix: str) -> list[str]:
        """Return the object keys under a prefix."""
        pages = self.s3.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=prefix)
        return [entry["Key"] for page in pages for entry in page.get("Contents", ())]

    def mails(self, text: str) -> list[str]:
        """Return the bodies of all mails that hold `text`."""
        paths = sorted(self.home.joinpath("mail").glob("*.eml"))
        bodies = [_mail_text(path.read_bytes()) for path in paths]
        return [body for body in bodies if text in body]

    def slacks(self, text: str) -> list[str]:
        """Return all Slack messages that hold `text`."""
        paths = sorted(self.home.joinpath("slack").glob("*.json"))
        bodies = [str(json.loads(path.read_text())["text"]) for path in paths]
        return [body for body in bodies if text in body]

    # --- what tests do to the stack

    @contextmanager
    def switch(self, period: str, says: str) -> Iterator[None]:
        """Make the switchboard's compute step of a period do what `says`."""
        path = self.home / "switches" / period
        path.parent.mkdir(exist_ok=True)
        path.write_text(says)
        try:
            yield
        finally:
            path.unlink()


def _mail_text(body: bytes) -> str:
    mail = message_from_bytes(body, policy=policy.default)
    parts = [part for part in mail.walk() if part.get_content_type() == "text/plain"]
    return "\n".join([str(mail["Subject"]), *(part.get_content() for part in parts)])
