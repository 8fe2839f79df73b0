"""Punctuality of carriers, as a report of this package."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from reporting import (
    AlertByEmail,
    Csv,
    CursorPages,
    Daily,
    Email,
    HttpSource,
    Param,
    PostgresSource,
    Report,
    S3Source,
    Table,
)
from reporting.airflow_edge.dag import build_dag

if TYPE_CHECKING:
    import pandas as pd

    from reporting.core.inputs import Inputs


def compute(inputs: Inputs) -> dict[str, pd.DataFrame]:
    """Return one row per carrier."""
    flights = inputs.frame("flights").merge(inputs.frame("airlines"), on="carrier", how="left")
    table = flights.groupby(["carrier", "name"], as_index=False).agg(
        flights=("carrier", "size"), mean_arrival_delay=("arr_delay", "mean")
    )
    return {"carrier_day": table}


report = Report(
    name="the_name",
    title="Punctuality of carriers",
    owner="operations",
    schedule=Daily(at="06:00", timezone="America/New_York", start=date(2013, 1, 1)),
    params={"carrier": Param(None, type=["null", "string"], pattern="^[A-Z0-9]{2}$")},
    sources=[
        PostgresSource(
            "flights",
            conn_id="operations_db",
            sql="""
                SELECT carrier, origin, time_hour, arr_delay FROM flights
                WHERE time_hour >= %(period_start)s AND time_hour < %(period_end)s
            """,
            columns={
                "carrier": "text not null",
                "origin": "text not null",
                "time_hour": "timestamptz not null",
                "arr_delay": "int64",
            },
        ),
        HttpSource(
            "weather",
            conn_id="weather_api",
            path="/observations",
            pages=CursorPages("next"),
            query={"from": "{period_start}", "to": "{period_end}"},
            required=False,
            columns={"origin": "text not null", "time_hour": "timestamptz", "temp": "float64"},
        ),
        S3Source(
            "airlines",
            conn_id="landing",
            key="reference/airlines.csv",
            columns={"carrier": "text not null", "name": "text not null"},
        ),
    ],
    compute=compute,
    tables=[
        Table(
            "carrier_day",
            key=["carrier"],
            columns={
                "carrier": "text",
                "name": "text",
                "flights": "int64",
                "mean_arrival_delay": "float64",
            },
        )
    ],
    exports=[Csv()],
    deliver=[Email(to=["operations@example.com"])],
    alerts=[AlertByEmail(to=["data-team@example.com"])],
)

dag = build_dag(report)
