"""A report of two small drops, for the tests that clear and backfill it on a live Airflow."""

from __future__ import annotations

import os
import time
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from reporting import AlertByEmail, Csv, Daily, Param, Report, Retry, S3Source, Table
from reporting.airflow_edge.dag import build_dag

if TYPE_CHECKING:
    import pandas as pd

    from reporting.core.inputs import Inputs


def compute(inputs: Inputs) -> dict[str, pd.DataFrame]:
    """Wait while the switch of the period says so, or fail, then return what both sources say."""
    switch = Path(os.environ["REPORTS_HOME"], "switches", inputs.period.key)
    while (says := switch.read_text() if switch.exists() else "go") == "wait":
        time.sleep(0.2)
    if says == "fail":
        raise ValueError("the switch says fail")
    sales = inputs.frame("orders").merge(inputs.frame("prices"), on="id")
    sales["amount"] *= inputs.params["factor"]
    return {"sales": sales}


def drop(name: str, column: str) -> S3Source:
    """Return a source of one object."""
    return S3Source(
        name,
        conn_id="landing",
        key=f"clearing/{{period}}/{name}.csv",
        columns={"id": "int64 not null", column: "int64 not null"},
    )


clearing = build_dag(
    Report(
        name="clearing",
        title="Clearing",
        schedule=Daily("06:00", "America/New_York", date(2013, 1, 1), date(2013, 12, 31)),
        params={"factor": Param(1, type="integer")},
        sources=[drop("orders", "amount"), drop("prices", "price")],
        compute=compute,
        tables=[
            Table("sales", key=["id"], columns={"id": "int64", "amount": "int64", "price": "int64"})
        ],
        exports=[Csv()],
        alerts=[AlertByEmail(to=["e2e@example.com"])],
        retry=Retry(times=0),
    )
)
