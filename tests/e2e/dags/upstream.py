"""Reports that start on upstream events, for the tests on a live Airflow."""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING

from reporting import (
    AlertByEmail,
    Daily,
    NoticeBySlack,
    OnSchedule,
    Param,
    PostgresSource,
    Report,
    Retry,
    Table,
    UpstreamEvent,
)
from reporting.airflow_edge.dag import build_dag

if TYPE_CHECKING:
    import pandas as pd

    from reporting.core.inputs import Inputs

FLIGHTS = """
SELECT carrier, count(*)::bigint AS flights FROM flights
WHERE time_hour >= %(period_start)s AND time_hour < %(period_end)s
GROUP BY carrier
"""


def compute(inputs: Inputs) -> dict[str, pd.DataFrame]:
    """Return the flights as they are."""
    return {"flown": inputs.frame("flights")}


def report(name: str, starts_on: list[OnSchedule | UpstreamEvent]) -> Report:
    """Return a report of flights that starts on what is given."""
    return Report(
        name=name,
        title=f"Upstream {name}",
        schedule=Daily("06:00", "America/New_York", date(2013, 1, 1), date(2013, 12, 31)),
        starts_on=starts_on,
        params={"carrier": Param(None, type=["null", "string"], pattern="^[A-Z0-9]{2}$")},
        sources=[
            PostgresSource(
                "flights",
                conn_id="operations_db",
                sql=FLIGHTS,
                columns={"carrier": "text not null", "flights": "int64"},
                min_rows=0,
            )
        ],
        compute=compute,
        tables=[
            Table("flown", key=["carrier"], columns={"carrier": "text", "flights": "int64"}),
        ],
        alerts=[AlertByEmail(to=["e2e@example.com"])],
        notices=[NoticeBySlack("slack_away"), NoticeBySlack()],
        retry=Retry(times=1, first_delay=timedelta(seconds=1)),
    )


told_dag = build_dag(report("told", [UpstreamEvent("flights_loaded")]))
announced_dag = build_dag(
    report(
        "announced",
        [OnSchedule(), UpstreamEvent("flights_announced", queue="flights.announced")],
    )
)
