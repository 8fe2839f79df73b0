"""A report that is run again when it has failed, for the tests on a live Airflow."""

from __future__ import annotations

import os
import time
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from reporting import AlertByEmail, Daily, HttpJobSource, Report, Retry, RunRetry, Table
from reporting.airflow_edge.dag import build_dag

if TYPE_CHECKING:
    import pandas as pd

    from reporting.core.inputs import Inputs


def compute(inputs: Inputs) -> dict[str, pd.DataFrame]:
    """Return the rows as they came; wait, or fail for good, while the period's switch says so."""
    switch = Path(os.environ["REPORTS_HOME"], "switches", inputs.period.key)
    while (says := switch.read_text() if switch.exists() else "go") == "wait":
        time.sleep(0.2)
    if says == "fail":
        raise ValueError("the switch says fail")
    return {"orders": inputs.frame("orders")}


again = build_dag(
    Report(
        name="again",
        title="Running again",
        schedule=Daily("06:00", "America/New_York", date(2013, 1, 1), date(2013, 12, 31)),
        sources=[
            HttpJobSource(
                "orders",
                conn_id="jobs_api",
                path="/jobs",
                request={"day": "{period}"},
                columns={"id": "int64 not null", "name": "text"},
                longest_pause=timedelta(seconds=1),
            )
        ],
        compute=compute,
        tables=[Table("orders", key=["id"], columns={"id": "int64", "name": "text"})],
        alerts=[AlertByEmail(to=["e2e@example.com"])],
        retry=Retry(times=0),
        retry_run=RunRetry(times=2, after=timedelta(0)),
        keep_staging=timedelta(0),
    )
)
