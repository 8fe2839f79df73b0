"""Reports whose compute step does as a test says, for the tests on a live Airflow."""

from __future__ import annotations

import os
import time
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from reporting import (
    AlertByEmail,
    AlertBySlack,
    Csv,
    Daily,
    Param,
    PostgresSource,
    Report,
    Retry,
    S3Source,
    Table,
)
from reporting.airflow_edge.dag import build_dag

if TYPE_CHECKING:
    import pandas as pd

    from reporting.core.inputs import Inputs

FLIGHTS = """
SELECT carrier, count(*)::bigint AS flights
FROM flights CROSS JOIN (SELECT pg_sleep(%(pause)s::float)) AS slept
WHERE time_hour >= %(period_start)s AND time_hour < %(period_end)s
GROUP BY carrier
"""


def compute(inputs: Inputs) -> dict[str, pd.DataFrame]:
    """Wait while the switch of the period says so, or fail, then return the flights."""
    switch = Path(os.environ["REPORTS_HOME"], "switches", inputs.period.key)
    while (says := switch.read_text() if switch.exists() else "go") == "wait":
        time.sleep(0.2)
    if says == "fail":
        raise ValueError("the switch says fail")
    flights = inputs.frame("flights").merge(inputs.frame("airlines"), on="carrier", how="left")
    return {"flown": flights.rename(columns={"name": "airline"})}


def report(
    name: str, retries: int, conn_id: str = "operations_db", pool: str = "default_pool"
) -> Report:
    """Return a switchboard that retries as often as `retries` says."""
    return Report(
        name=name,
        title=f"Switchboard {name}",
        schedule=Daily("06:00", "America/New_York", date(2013, 1, 1), date(2013, 12, 31)),
        params={"pause": Param(0, type="number", more={"minimum": 0})},
        sources=[
            PostgresSource(
                "flights",
                conn_id=conn_id,
                pool=pool,
                sql=FLIGHTS,
                columns={"carrier": "text not null", "flights": "int64"},
            ),
            S3Source(
                "airlines",
                conn_id="landing",
                key="reference/airlines.csv",
                columns={"carrier": "text not null", "name": "text"},
            ),
        ],
        compute=compute,
        tables=[
            Table(
                "flown",
                key=["carrier"],
                columns={"carrier": "text", "airline": "text", "flights": "int64"},
            )
        ],
        exports=[Csv()],
        alerts=[AlertByEmail(to=["e2e@example.com"]), AlertBySlack()],
        retry=Retry(times=retries, first_delay=timedelta(seconds=1)),
    )


patient_dag = build_dag(report("patient", retries=2))
hasty_dag = build_dag(report("hasty", retries=0))
unconnected_dag = build_dag(report("unconnected", retries=2, conn_id="nowhere_db"))
pooled_dag = build_dag(report("pooled", retries=0, pool="few at once"))
