"""Punctuality of carriers, as a DAG written by hand: the same graph, schedule, params, limits.

It is written well: hooks and pandas are imported inside the tasks. What the tasks do is shortened;
parsing does not run it.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from airflow.sdk import DAG, CronDataIntervalTimetable, Param, TriggerRule, task

if TYPE_CHECKING:
    import pandas as pd

SQL = """
    SELECT carrier, origin, time_hour, arr_delay FROM flights
    WHERE time_hour >= %(period_start)s AND time_hour < %(period_end)s
"""
DEFAULTS = {
    "owner": "operations",
    "retries": 2,
    "retry_delay": timedelta(seconds=30),
    "retry_exponential_backoff": 2,
    "max_retry_delay": timedelta(minutes=10),
    "execution_timeout": timedelta(minutes=30),
}


def punctuality(flights: pd.DataFrame, airlines: pd.DataFrame) -> pd.DataFrame:
    """Return one row per carrier."""
    named = flights.merge(airlines, on="carrier", how="left")
    return named.groupby(["carrier", "name"], as_index=False).agg(
        flights=("carrier", "size"), mean_arrival_delay=("arr_delay", "mean")
    )


@task
def init() -> None:
    """Check the params."""


@task
def fetch_flights(data_interval_start: Any = None, data_interval_end: Any = None) -> int:
    """Fetch the flights of the day."""
    from airflow.providers.postgres.hooks.postgres import PostgresHook

    bounds = {"period_start": data_interval_start, "period_end": data_interval_end}
    return len(PostgresHook("operations_db").get_df(SQL, parameters=bounds))


@task
def fetch_weather() -> int:
    """Fetch the weather of the day."""
    import requests

    return len(requests.get("http://weather/observations", timeout=30).json()["items"])


@task
def fetch_airlines() -> int:
    """Fetch the names of the airlines."""
    from airflow.providers.amazon.aws.hooks.s3 import S3Hook

    return len(S3Hook("landing").read_key("reference/airlines.csv", "landing"))


@task(trigger_rule=TriggerRule.ONE_DONE)
def await_sources() -> None:
    """Wait until all sources are there."""


@task
def compute() -> int:
    """Compute the table."""
    import pandas as pd

    names = ["carrier", "name", "arr_delay"]
    return len(punctuality(pd.DataFrame(columns=names), pd.DataFrame(columns=names[:2])))


@task
def store() -> None:
    """Write the table to the warehouse."""


@task
def deliver() -> None:
    """Send the files."""


@task(trigger_rule=TriggerRule.ALL_DONE)
def compensate() -> None:
    """Undo what a failed run has left."""


with DAG(
    "the_name",
    dag_display_name="Punctuality of carriers",
    description="Punctuality of carriers",
    doc_md="One row per carrier. Sources: flights, weather, airlines. Table: carrier_day.",
    schedule=CronDataIntervalTimetable("0 6 * * *", timezone="America/New_York"),
    start_date=datetime(2013, 1, 1, tzinfo=UTC),
    catchup=False,
    params={
        "period": Param(None, type=["null", "string"], format="date"),
        "carrier": Param(None, type=["null", "string"], pattern="^[A-Z0-9]{2}$"),
    },
    tags={"report"},
    default_args=DEFAULTS,
    dagrun_timeout=timedelta(hours=3),
    max_active_runs=16,
) as dag:
    first, wait, compute_it, store_it = init(), await_sources(), compute(), store()
    fetches = [fetch_flights(), fetch_weather(), fetch_airlines()]
    first >> fetches >> wait >> compute_it >> store_it >> deliver()
    first >> compute_it
    [first, *fetches, wait, compute_it, store_it] >> compensate()
