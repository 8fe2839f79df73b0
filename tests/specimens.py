"""A small report and a run of it, complete and valid: tests change what they are about."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import TYPE_CHECKING, Any

from reporting.core.run import Run, RunId
from reporting.definition.daily import Daily
from reporting.definition.drops import S3Source
from reporting.definition.jobs import HttpJobSource
from reporting.definition.messages import MessageSource
from reporting.definition.pages import CursorPages
from reporting.definition.report import Report
from reporting.definition.sources import HttpSource, PostgresSource
from reporting.definition.tables import Table

if TYPE_CHECKING:
    import pandas as pd

    from reporting.core.inputs import Inputs

BERLIN = Daily(at="06:00", timezone="Europe/Berlin")
COLUMNS = {"id": "int64 not null", "name": "text"}


def compute(inputs: Inputs) -> Mapping[str, pd.DataFrame]:
    """Return the source as it is."""
    return {"totals": inputs.frame("orders")}


def a_source(**changes: Any) -> PostgresSource:
    """Return a source of two columns."""
    given: dict[str, Any] = {"conn_id": "orders_db", "sql": "SELECT 1", "columns": COLUMNS}
    return PostgresSource("orders", **(given | changes))


def an_http_source(**changes: Any) -> HttpSource:
    """Return a source of a paged service."""
    given: dict[str, Any] = {
        "conn_id": "orders_api",
        "path": "/v1/orders",
        "pages": CursorPages("next"),
        "columns": COLUMNS,
    }
    return HttpSource("orders", **(given | changes))


def a_job_source(**changes: Any) -> HttpJobSource:
    """Return a source whose service prepares the rows."""
    given: dict[str, Any] = {
        "conn_id": "orders_api",
        "path": "/jobs",
        "request": {"day": "2024-05-01"},
        "columns": COLUMNS,
    }
    return HttpJobSource("orders", **(given | changes))


def a_message_source(**changes: Any) -> MessageSource:
    """Return a source that is asked by a message."""
    given: dict[str, Any] = {
        "conn_id": "reports_broker",
        "queue": "orders.lookup",
        "request": {"day": "{period}"},
        "columns": COLUMNS,
    }
    return MessageSource("orders", **(given | changes))


def an_s3_source(**changes: Any) -> S3Source:
    """Return a source of one CSV object."""
    given: dict[str, Any] = {"conn_id": "landing", "key": "orders.csv", "columns": COLUMNS}
    return S3Source("orders", **(given | changes))


def a_table(name: str = "totals", **changes: Any) -> Table:
    """Return a table of two columns."""
    given: dict[str, Any] = {"key": ["id"], "columns": {"id": "int64", "name": "text"}}
    return Table(name, **(given | changes))


def a_report(**changes: Any) -> Report:
    """Return a report of one source and one table."""
    given: dict[str, Any] = {
        "name": "sales",
        "title": "Sales",
        "schedule": BERLIN,
        "sources": [a_source()],
        "compute": compute,
        "tables": [a_table()],
    }
    return Report(**(given | changes))


def a_run(  # noqa: PLR0913 - each names one thing a test may be about
    report: str = "sales",
    run_id: str = "manual__1",
    day: date = date(2024, 5, 1),
    params: Mapping[str, Any] | None = None,
    *,
    clear_number: int = 0,
    is_default: bool = True,
    schedule: Daily = BERLIN,
) -> Run:
    """Return a run."""
    period = schedule.period_of_day(day)
    return Run(RunId(report, run_id, clear_number), period, params or {}, is_default)
