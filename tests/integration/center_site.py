"""The report center's whole web app in this process, over Airflow's own tables and its logins.

Airflow's simple logins know no rights per DAG, as others do; here some users may see one
report only.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg
import pytest
from fastapi.testclient import TestClient
from psycopg.conninfo import conninfo_to_dict
from sqlalchemy.orm import scoped_session, sessionmaker

from tests.airflow_home import use_own_home
from tests.integration.metadata import Metadata

OURS, OTHERS = "report_0001", "report_0002"
OUTSIDER = "outsider"  # a viewer of OTHERS, and of nothing else
TEAM_OP = "team op"  # an op of OTHERS, and of nothing else
NO_RUNS = "no runs"  # a viewer of every DAG, yet of no run
ROLES = {
    "viewer": "viewer",
    "user": "user",
    "op": "op",
    "admin": "admin",
    OUTSIDER: "viewer",
    TEAM_OP: "op",
    NO_RUNS: "viewer",
}


@dataclass(frozen=True)
class Site:
    """The app, with a login for everybody.

    Attributes:
        client: asks it.
        tokens: per user.
    """

    client: TestClient
    tokens: dict[str, str]

    def ask(self, method: str, path: str, user: str | None, **how: Any) -> Any:
        """Return the answer to a request of a user, or of nobody."""
        headers = {"Authorization": f"Bearer {self.tokens[user]}"} if user else {}
        headers |= how.pop("headers", {})
        return self.client.request(method, path, headers=headers, **how)


@contextmanager
def site(known: Metadata, patch: pytest.MonkeyPatch) -> Iterator[Site]:
    """Serve the app over a database of Airflow and a warehouse."""
    use_own_home()
    from airflow import settings

    made = sessionmaker(bind=known.engine)
    patch.setattr(settings, "NonScopedSession", made)
    patch.setattr(settings, "Session", scoped_session(made))
    for name, value in _connections(known).items():
        patch.setenv(name, value)
    from fastapi import FastAPI

    from report_center.app import report_center_app

    manager = _logins(patch)
    root = FastAPI()
    root.mount("/reports", report_center_app())
    tokens = {name: _token(manager, name, role) for name, role in ROLES.items()}
    with TestClient(root, raise_server_exceptions=False, follow_redirects=False) as client:
        yield Site(client, tokens)


def _connections(known: Metadata) -> dict[str, str]:
    """Return what names the warehouse; nothing else is there."""
    found = conninfo_to_dict(known.warehouse)
    warehouse = {
        "conn_type": "postgres",
        "host": found["host"],
        "port": int(str(found["port"])),
        "login": found["user"],
        "password": found["password"],
        "schema": found["dbname"],
    }
    store = {
        "conn_type": "aws",
        "login": "a",
        "password": "b",
        "extra": {
            "endpoint_url": "http://127.0.0.1:1",
            "region_name": "us-east-1",
            "config_kwargs": {"retries": {"total_max_attempts": 1}},
        },
    }
    broker = {"conn_type": "amqp", "host": "127.0.0.1", "port": 1}
    return {
        "AIRFLOW__API_AUTH__JWT_SECRET": "of a test " * 8,
        "AIRFLOW_CONN_REPORT_WAREHOUSE": json.dumps(warehouse),
        "AIRFLOW_CONN_REPORT_STORE": json.dumps(store),
        "AIRFLOW_CONN_REPORTS_BROKER": json.dumps(broker),
    }


def _logins(patch: pytest.MonkeyPatch) -> Any:
    from airflow.api_fastapi import app
    from airflow.api_fastapi.auth.managers.models.resource_details import DagAccessEntity
    from airflow.api_fastapi.auth.managers.simple.simple_auth_manager import SimpleAuthManager

    class PerReport(SimpleAuthManager):
        """Airflow's simple logins, with users who may see one DAG only, or no runs.

        Asked without a DAG it says whether somebody may list any, as Airflow's own do.
        """

        def is_authorized_dag(
            self, *, user: Any, details: Any = None, access_entity: Any = None, **how: Any
        ) -> bool:
            name = user.get_name()
            is_anothers = details is not None and details.id != OTHERS
            if (is_anothers and name in (OUTSIDER, TEAM_OP)) or (
                name == NO_RUNS and access_entity == DagAccessEntity.RUN
            ):
                return False
            return super().is_authorized_dag(
                user=user, details=details, access_entity=access_entity, **how
            )

    manager: Any = PerReport()  # type: ignore[no-untyped-call]
    patch.setattr(app._AuthManagerState, "instance", manager)
    return manager


def _token(manager: Any, name: str, role: str) -> str:
    from airflow.api_fastapi.auth.managers.simple.user import SimpleAuthManagerUser

    return str(manager.generate_jwt(SimpleAuthManagerUser(username=name, role=role)))


def letter_of(known: Metadata, report: str | None) -> int:
    """Return the number of a dead letter of a report."""
    with psycopg.connect(known.warehouse, autocommit=True) as warehouse:
        row = warehouse.execute(
            "INSERT INTO reporting.dead_letter (digest, queue, reason, report, source, run_id, "
            "tries, state, settled_at, first_at, last_at) VALUES (gen_random_uuid(), 'q', 'of a "
            "test', %s, 'orders', 'run', 1, 'discarded', now(), now(), now()) "
            "RETURNING dead_letter_id",
            (report,),
        ).fetchone()
    assert row is not None
    return int(row[0])


def release_of(known: Metadata, report: str) -> int:
    """Return the id of a release of a report."""
    with psycopg.connect(known.warehouse, autocommit=True) as warehouse:
        row = warehouse.execute(
            "SELECT max(release_id) FROM reporting.release WHERE report = %s", (report,)
        ).fetchone()
    assert row is not None
    return int(row[0])
