"""Reports that ask a service and are ended at any stage of it, for the tests on a live Airflow."""

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
LIMIT = timedelta(seconds=20)
RUN_LIMIT = timedelta(seconds=60)
HOURS = timedelta(hours=3)


def compute(inputs: Inputs) -> dict[str, pd.DataFrame]:
    """Return the rows as they came."""
    return {"orders": inputs.frame("orders")}


def report(name: str, *sources: Source, run_limit: timedelta = HOURS) -> Report:
    """Return a report of some sources that is tried once and keeps nothing."""
    return Report(
        name=name,
        title=f"Ended {name}",
        schedule=Daily("06:00", "America/New_York", date(2013, 1, 1), date(2013, 12, 31)),
        sources=sources,
        compute=compute,
        tables=[Table("orders", key=["id"], columns={"id": "int64", "name": "text"})],
        alerts=[AlertByEmail(to=["e2e@example.com"])],
        retry=Retry(times=0),
        keep_staging=timedelta(0),
        run_limit=run_limit,
    )


def by_job(name: str = "orders", day: str = "{period}", **more: Any) -> HttpJobSource:
    """Return a source that asks the tests' own service of jobs."""
    return HttpJobSource(
        name,
        conn_id="jobs_api",
        path="/jobs",
        request={"day": day},
        columns=COLUMNS,
        longest_pause=timedelta(seconds=1),
        read_timeout=120,  # a service that is slow to answer must not end the stage
        **more,
    )


def by_message(**more: Any) -> MessageSource:
    """Return a source that asks on a queue of its own."""
    return MessageSource(
        "orders",
        conn_id="reports_broker",
        queue="e2e.orphans",
        request={"day": "{period}"},
        columns=COLUMNS,
        longest_pause=timedelta(seconds=1),
        **more,
    )


ended_job = build_dag(report("ended_job", by_job()))
ended_job_late = build_dag(report("ended_job_late", by_job(time_limit=LIMIT)))
ended_job_over = build_dag(report("ended_job_over", by_job(), run_limit=RUN_LIMIT))
ended_message = build_dag(report("ended_message", by_message()))
ended_message_late = build_dag(report("ended_message_late", by_message(time_limit=LIMIT)))
ended_message_over = build_dag(report("ended_message_over", by_message(), run_limit=RUN_LIMIT))
ended_optional = build_dag(
    report("ended_optional", by_job(), by_job("extra", "{period} extra", required=False))
)
