"""Reports whose source is a service that answers later, for the tests on a live Airflow."""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

from reporting import (
    AlertByEmail,
    Daily,
    HttpJobSource,
    MessageSource,
    Report,
    Retry,
    Table,
)
from reporting.airflow_edge.dag import build_dag

if TYPE_CHECKING:
    import pandas as pd

    from reporting.core.inputs import Inputs
    from reporting.definition.source import Source

COLUMNS = {"id": "int64 not null", "name": "text"}
REQUEST = {"day": "{period}"}


def compute(inputs: Inputs) -> dict[str, pd.DataFrame]:
    """Return the rows as they came."""
    return {"orders": inputs.frame("orders")}


def report(name: str, source: Source) -> Report:
    """Return a report of one source."""
    return Report(
        name=name,
        title=f"Asking {name}",
        schedule=Daily("06:00", "America/New_York", date(2013, 1, 1), date(2013, 12, 31)),
        sources=[source],
        compute=compute,
        tables=[Table("orders", key=["id"], columns={"id": "int64", "name": "text"})],
        alerts=[AlertByEmail(to=["e2e@example.com"])],
        retry=Retry(times=1, first_delay=timedelta(seconds=1)),
        keep_staging=timedelta(0),
    )


def job_source(**more: Any) -> HttpJobSource:
    """Return a source that asks the tests' own service."""
    return HttpJobSource(
        "orders",
        conn_id="jobs_api",
        path="/jobs",
        request=REQUEST,
        columns=COLUMNS,
        longest_pause=timedelta(seconds=1),
        **more,
    )


polling = build_dag(report("polling", job_source()))
called_back = build_dag(report("called_back", job_source(wait="callback")))
messaging = build_dag(
    report(
        "messaging",
        MessageSource(
            "orders",
            conn_id="reports_broker",
            queue="e2e.orders",
            request=REQUEST,
            columns=COLUMNS,
            longest_pause=timedelta(seconds=1),
        ),
    )
)
