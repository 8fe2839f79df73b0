"""A report named like its file, which tests copy into the stack's own folder, break and remove."""

from __future__ import annotations

import os
import time
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from reporting import AlertByEmail, AlertBySlack, Csv, Daily, PostgresSource, Report, Retry, Table
from reporting.airflow_edge.dag import build_dag

if TYPE_CHECKING:
    import pandas as pd

    from reporting.core.inputs import Inputs

NAME = Path(__file__).stem
# Those that are to be over their limit soon.
LIMITS = dict.fromkeys(("broken", "gone"), timedelta(seconds=45))
REACHED = ".reached"  # beside the switch, once `compute` looks at it
ZONE, DAY = "America/New_York", date(2013, 12, 4)
SCHEDULES = {"together": Daily("06:00", ZONE, DAY, DAY, catchup=True)}


def _says(period: str) -> str:
    switch = Path(os.environ["REPORTS_HOME"], "switches", period)
    switch.with_suffix(REACHED).touch()
    return switch.read_text(encoding="utf-8") if switch.exists() else "go"


def compute(inputs: Inputs) -> dict[str, pd.DataFrame]:
    """Wait while the switch of the period says so, then return the source."""
    while _says(inputs.period.key) == "wait":
        time.sleep(0.2)
    return {"kept": inputs.frame("numbers")}


report = Report(
    name=NAME,
    title=f"Fragile {NAME}",
    schedule=SCHEDULES.get(NAME, Daily("06:00", ZONE, date(2013, 1, 1), date(2013, 12, 31))),
    sources=[
        PostgresSource(
            "numbers",
            conn_id="operations_db",
            sql="SELECT n FROM generate_series(1, 3) AS n",
            columns={"n": "int32 not null"},
        )
    ],
    compute=compute,
    tables=[Table("kept", key=["n"], columns={"n": "int32"})],
    exports=[Csv()],
    alerts=[AlertByEmail(to=["e2e@example.com"]), AlertBySlack()],
    retry=Retry(times=0),
    run_limit=LIMITS.get(NAME, timedelta(minutes=10)),
)
dag = build_dag(report)
