"""My report: how many flights go to each destination."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from reporting import AlertByEmail, Csv, Daily, Email, PostgresSource, Report, Table
from reporting.airflow_edge.dag import build_dag

if TYPE_CHECKING:
    import pandas as pd

    from reporting.core.inputs import Inputs


def compute(inputs: Inputs) -> dict[str, pd.DataFrame]:
    """Return one row per destination."""
    flights = inputs.frame("flights")
    table = flights.groupby("dest", as_index=False).agg(
        flights=("carrier", "size"),
        carriers=("carrier", "nunique"),
        mean_arrival_delay=("arr_delay", "mean"),
    )
    return {"destination": table}


report = Report(
    name="my_report",
    title="Flights per destination",
    schedule=Daily(at="07:00", timezone="America/New_York", end=date(2013, 12, 31)),
    sources=[
        PostgresSource(
            "flights",
            conn_id="operations_db",
            sql="""
                SELECT dest, carrier, arr_delay
                FROM flights
                WHERE time_hour >= %(period_start)s AND time_hour < %(period_end)s
            """,
            columns={"dest": "text not null", "carrier": "text not null", "arr_delay": "int64"},
            min_rows=1,
        ),
    ],
    compute=compute,
    tables=[
        Table(
            "destination",
            key=["dest"],
            columns={
                "dest": "text",
                "flights": "int64",
                "carriers": "int64",
                "mean_arrival_delay": "float64",
            },
        ),
    ],
    exports=[Csv()],
    deliver=[Email(to=["me@example.com"])],
    alerts=[AlertByEmail(to=["me@example.com"])],
)

dag = build_dag(report)
