"""Reports whose source is dropped in S3 by another system, for the tests on a live Airflow."""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

from reporting import AlertByEmail, Daily, Marker, Report, Retry, S3Source, Table
from reporting.airflow_edge.dag import build_dag

if TYPE_CHECKING:
    import pandas as pd

    from reporting.core.inputs import Inputs


def compute(inputs: Inputs) -> dict[str, pd.DataFrame]:
    """Return the rows as they came."""
    return {"orders": inputs.frame("orders")}


def report(name: str, **source: Any) -> Report:
    """Return a report of one drop."""
    drop = S3Source(
        "orders",
        **{"conn_id": "landing", **source},
        prefix=f"{name}/{{period}}/",
        complete=Marker(),
        longest_pause=timedelta(seconds=1),
        columns={"id": "int64 not null", "name": "text"},
    )
    return Report(
        name=name,
        title=f"Dropping {name}",
        schedule=Daily("06:00", "America/New_York", date(2013, 1, 1), date(2013, 12, 31)),
        sources=[drop],
        compute=compute,
        tables=[Table("orders", key=["id"], columns={"id": "int64", "name": "text"})],
        alerts=[AlertByEmail(to=["e2e@example.com"])],
        retry=Retry(times=1, first_delay=timedelta(seconds=1)),
        keep_staging=timedelta(0),
    )


dropped = build_dag(report("dropped", wait=timedelta(minutes=10)))
not_dropped = build_dag(report("not_dropped", wait=timedelta(seconds=3), required=False))
WRONG = {"wait": timedelta(minutes=10), "conn_id": "landing_locked"}
locked_out = build_dag(report("locked_out", **WRONG))
left_out = build_dag(report("left_out", **WRONG, required=False))
