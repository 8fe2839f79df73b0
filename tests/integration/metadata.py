"""A metadata database of Airflow, filled with runs and read as the report center reads it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NoReturn

import psycopg
from benchmarks.many_runs import PLACEHOLDER, Many, write_releases, write_runs
from psycopg.conninfo import conninfo_to_dict
from sqlalchemy import URL, Engine, create_engine, event
from sqlalchemy.orm import Session

from embedded_stack.stack import Stack
from report_center.records.elsewhere import Elsewhere
from reporting.core.warehouse.schema import ensure_schema
from reporting.definition.description import description_of
from tests.airflow_home import use_own_home
from tests.integration.own_database import own_database
from tests.specimens import a_report


@dataclass
class Metadata:
    """Airflow's database, and the warehouse beside it.

    Attributes:
        engine: of Airflow's database.
        dsn: of the same, for psycopg.
        warehouse: connection string of the warehouse.
        queries: what was asked of Airflow's database, by the report center alone.
    """

    engine: Engine
    dsn: str
    warehouse: str
    queries: list[str] = field(default_factory=list)

    @contextmanager
    def looking(self, **away: Any) -> Iterator[tuple[Session, Elsewhere]]:
        """Open both as the API server does; what is not given is away."""
        elsewhere = Elsewhere(
            **{"open_warehouse": self._opened, "open_staging": _away, "open_broker": _away} | away
        )
        with Session(self.engine) as session:
            yield session, elsewhere
        elsewhere.close()

    def count(self, look: Any) -> int:
        """Return how many queries a look takes, once what is read only once has been read."""
        for _ in range(2):
            self.queries.clear()
            with self.looking() as (session, elsewhere):
                look(session, elsewhere)
        return len(self.queries)

    def execute(self, query: str, *values: Any) -> None:
        """Change what Airflow's database holds."""
        with psycopg.connect(self.dsn, autocommit=True) as connection:
            connection.execute(query.encode(), values)

    def _opened(self) -> psycopg.Connection[Any]:
        return psycopg.connect(self.warehouse, autocommit=True)


def _away() -> NoReturn:
    raise ConnectionError("nothing is there")


@contextmanager
def airflow_tables(stack: Stack) -> Iterator[str]:
    """Give the name of a database that holds Airflow's empty tables, to copy it from."""
    use_own_home()
    from airflow.models import import_all_models
    from airflow.models.base import Base

    import_all_models()  # type: ignore[no-untyped-call]
    with own_database(stack) as dsn:
        engine = _engine(dsn)
        Base.metadata.create_all(engine)
        engine.dispose()
        yield str(conninfo_to_dict(dsn)["dbname"])


@contextmanager
def metadata(stack: Stack, template: str, many: Many) -> Iterator[Metadata]:
    """Give a database with so many reports and runs, and a warehouse with their releases."""
    with (
        own_database(stack, f"TEMPLATE {template} STRATEGY FILE_COPY") as dsn,
        own_database(stack) as warehouse,
    ):
        with psycopg.connect(dsn, autocommit=True) as connection:
            write_runs(connection, many, _dag())
        with psycopg.connect(warehouse, autocommit=True) as connection:
            ensure_schema(connection)
            write_releases(connection, many)
        found = Metadata(_engine(dsn), dsn, warehouse)

        @event.listens_for(found.engine, "before_cursor_execute")
        def note(_c: Any, _cursor: Any, statement: str, *_: Any) -> None:
            found.queries.append(statement)

        yield found
        found.engine.dispose()


def _dag() -> dict[str, Any]:
    definition = json.dumps(description_of(a_report(name=PLACEHOLDER)))
    init = {"__type": "operator", "__var": {"task_id": "init", "doc_json": definition}}
    return {"dag": {"dag_id": PLACEHOLDER, "tasks": [init]}}


def _engine(dsn: str) -> Engine:
    known = conninfo_to_dict(dsn)
    return create_engine(
        URL.create(
            "postgresql+psycopg2",
            str(known["user"]),
            str(known["password"]),
            str(known["host"]),
            int(str(known["port"])),
            str(known["dbname"]),
        )
    )
