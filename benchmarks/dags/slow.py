"""Reports whose sources never answer: half of them ask for a job, half of them send a message."""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

from reporting import Daily, HttpJobSource, MessageSource, Report, Table
from reporting.airflow_edge.dag import build_dag

if TYPE_CHECKING:
    import pandas as pd

    from reporting.core.inputs import Inputs
    from reporting.definition.source import Source

REPORTS = 20
QUEUE = "slow.lookup"
COLUMNS = {"id": "int64 not null"}
LIMIT = timedelta(hours=2)


def compute(inputs: Inputs) -> dict[str, pd.DataFrame]:
    """Return the rows as they would come."""
    return {"rows": inputs.frame("rows")}


def source(number: int) -> Source:
    """Return the source of one report."""
    patience: dict[str, Any] = {"stalled_after": LIMIT, "time_limit": LIMIT, "columns": COLUMNS}
    if number % 2:
        return MessageSource("rows", conn_id="reports_broker", queue=QUEUE, **patience)
    return HttpJobSource("rows", conn_id="slow_api", path="/jobs", **patience)


for number in range(REPORTS):
    report = Report(
        name=f"slow_{number:02d}",
        title="Slow",
        schedule=Daily("06:00", "UTC", date(2013, 1, 1), date(2013, 12, 31)),
        sources=[source(number)],
        compute=compute,
        tables=[Table("rows", key=["id"], columns={"id": "int64"})],
        run_limit=LIMIT,
    )
    globals()[report.name] = build_dag(report)
