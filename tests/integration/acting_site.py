"""The report center with Airflow's own REST behind it, for those who change something there.

Airflow knows real DAGs here, as the package builds them; only nothing runs.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from html import unescape
from typing import Any

import psycopg
import pytest
from benchmarks.many_runs import Many

from embedded_stack.stack import Stack
from reporting.definition.params import Param
from tests.integration.center_site import OTHERS, OURS, Site, site
from tests.integration.metadata import Metadata, airflow_tables, metadata
from tests.specimens import a_report

FAILED, PUBLISHED, OTHER_FAILED = "run_10", "run_2", "run_20"
WORKING = "run_1"  # of OTHERS
PARAMS = {
    "top": Param(3, type="integer", more={"minimum": 1, "maximum": 10}),
    "region": Param("all", enum=["all", "north", "south"]),
}
# Airflow makes one when it migrates its database.
LOG_TEMPLATE = (
    "INSERT INTO log_template (filename, elasticsearch_id, created_at) VALUES ('f', 'e', now())"
)
LOG = "SELECT owner, event, run_id FROM log WHERE dag_id = %s ORDER BY id"


@dataclass(frozen=True)
class Served:
    """The site, and what is behind it."""

    site: Site
    known: Metadata

    def get(self, path: str, user: str = "op") -> Any:
        return self.site.ask("GET", f"/reports/{path}", user)

    def post(self, path: str, user: str = "op", **fields: Any) -> Any:
        """Send a form."""
        return self.site.ask("POST", f"/reports/{path}", user, data=fields)

    def send(self, path: str, user: str = "op", **body: Any) -> Any:
        """Send JSON."""
        return self.site.ask("POST", f"/reports/api/{path}", user, json=body)

    def rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """Ask Airflow's database."""
        with psycopg.connect(self.known.dsn, autocommit=True) as connection:
            return connection.execute(query.encode(), values).fetchall()

    def in_warehouse(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        with psycopg.connect(self.known.warehouse, autocommit=True) as connection:
            return connection.execute(query.encode(), values).fetchall()

    def run(self, run_id: str) -> tuple[Any, ...]:
        """Return a run's state and how often it was cleared."""
        (found,) = self.rows("SELECT state, clear_number FROM dag_run WHERE run_id = %s", run_id)
        return found


@contextmanager
def acting(stack: Stack) -> Iterator[Served]:
    """Serve the report center over two reports with runs."""
    patch = pytest.MonkeyPatch()
    with (
        airflow_tables(stack) as template,
        metadata(stack, template, Many(reports=2, runs=60)) as known,
        site(known, patch) as found,
    ):
        known.execute(LOG_TEMPLATE)
        for name in (OURS, OTHERS):
            known.execute(
                "UPDATE serialized_dag SET data = %s::jsonb, dag_hash = 'real' WHERE dag_id = %s",
                json.dumps(serialized(name)),
                name,
            )
        yield Served(found, known)
    patch.undo()


def serialized(name: str, params: Mapping[str, Param] = PARAMS) -> dict[str, Any]:
    """Return a report's DAG as Airflow keeps it."""
    from airflow.serialization.serialized_objects import DagSerialization

    from reporting.airflow_edge.dag import build_dag

    dag = build_dag(a_report(name=name, title=f"Title of {name}", params=params))
    found: dict[str, Any] = DagSerialization.to_dict(dag)
    return found


def text_of(answer: Any) -> str:
    """Return a page's text without its tags."""
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", answer.text)).split())


def hidden_in(answer: Any) -> dict[str, str]:
    """Return the hidden fields of the form on a page."""
    found = re.findall(r'<input type="hidden" name="(\w+)" value="(\w*)">', answer.text)
    return {**dict(found)}


def place_of(answer: Any) -> str:
    """Return where a page that was changed goes on to."""
    assert answer.status_code == 303, text_of(answer)
    return str(answer.headers["location"])


def letters(served: Served, count: int) -> list[int]:
    """Leave dead letters of OURS that wait; return their numbers."""
    return [
        served.in_warehouse(
            "INSERT INTO reporting.dead_letter (digest, queue, reason, report, source, run_id, "
            "tries, first_at, last_at) VALUES (gen_random_uuid(), 'q', 'r', %s, 'orders', 'run', 1,"
            " now(), now()) RETURNING dead_letter_id",
            OURS,
        )[0][0]
        for _ in range(count)
    ]
