"""Airline on-time performance: how punctual carriers, hours at airports and planes were."""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING

from reporting import (
    AlertByEmail,
    AlertBySlack,
    Csv,
    CursorPages,
    Daily,
    Email,
    HttpSource,
    MessageSource,
    Param,
    PostgresSource,
    Report,
    Retry,
    S3Source,
    Table,
    Xlsx,
)
from reporting.airflow_edge.dag import build_dag

if TYPE_CHECKING:
    import pandas as pd

    from reporting import Period
    from reporting.core.inputs import Inputs

LATE_MINUTES = 15
YEARS_A_BAND = 5
UNKNOWN = "unknown"


def compute(inputs: Inputs) -> dict[str, pd.DataFrame]:
    """Return the tables; pure: what it reads is staged, what it returns is stored for it."""
    flights = inputs.frame("flights")
    return {
        "carrier_day": carrier_day(flights, inputs.frame("airlines")),
        "origin_hour": origin_hour(flights, inputs.frame("weather"), inputs.period),
        "fleet": fleet(flights, inputs.frame("planes"), inputs.period.first_day.year),
    }


def carrier_day(flights: pd.DataFrame, airlines: pd.DataFrame) -> pd.DataFrame:
    """Return one row per carrier with its punctuality on the day."""
    departed, arrived = flights.dep_time.notna(), flights.arr_delay.notna()
    marked = flights.assign(
        cancelled=~departed,
        diverted=departed & ~arrived,
        late_departures=flights.dep_delay.fillna(0) > LATE_MINUTES,
        arrived=arrived,
        punctual=arrived & (flights.arr_delay.fillna(0) < LATE_MINUTES),
    )
    table = marked.groupby("carrier", as_index=False).agg(
        flights=("carrier", "size"),
        cancelled=("cancelled", "sum"),
        diverted=("diverted", "sum"),
        mean_departure_delay=("dep_delay", "mean"),
        late_departures=("late_departures", "sum"),
        mean_arrival_delay=("arr_delay", "mean"),
        arrivals=("arrived", "sum"),
        punctual=("punctual", "sum"),
    )
    # No arrival means no share: NULL, not 0.
    arrivals = table.arrivals.astype("float64[pyarrow]").where(table.arrivals > 0)
    table["punctual_arrival_share"] = table.pop("punctual") / arrivals
    named = table.merge(airlines.rename(columns={"name": "airline"}), on="carrier", how="left")
    return named.sort_values("carrier")


def origin_hour(flights: pd.DataFrame, weather: pd.DataFrame, period: Period) -> pd.DataFrame:
    """Return one row per airport and hour of the day, also for hours without a flight.

    Hours are told apart by their instant, so a day of a clock change has 23 or 25 of them.
    """
    import pandas as pd

    hours = pd.date_range(period.start, period.end, freq="h", inclusive="left", unit="us")
    grid = pd.MultiIndex.from_product(
        [sorted({*flights.origin, *weather.origin}), hours], names=["origin", "time_hour"]
    ).to_frame(index=False)
    flown = flights.groupby(["origin", "time_hour"], as_index=False).agg(
        flights=("carrier", "size"), mean_departure_delay=("dep_delay", "mean")
    )
    table = grid.astype(flown.dtypes[["origin", "time_hour"]].to_dict())
    table = table.merge(flown, how="left").merge(weather, how="left")
    local = table.time_hour.dt.tz_convert(period.timezone)
    return table.assign(flights=table.flights.fillna(0), local_hour=local.dt.hour)


def fleet(flights: pd.DataFrame, planes: pd.DataFrame, year: int) -> pd.DataFrame:
    """Return one row per manufacturer and age of plane, in which every flight is counted once.

    Args:
        flights: flights of the period.
        planes: one row per tail number; flights of others are of unknown manufacturer and age.
        year: in which the planes flew.
    """
    flown = flights.merge(planes, on="tailnum", how="left", validate="many_to_one")
    years = year - flown.year
    flown = flown.assign(
        manufacturer=flown.manufacturer.fillna(UNKNOWN), years=years, age=age_bands(years)
    ).sort_values(["manufacturer", "years"])
    return flown.groupby(["manufacturer", "age"], as_index=False, sort=False).agg(
        flights=("carrier", "size"),
        planes=("tailnum", "nunique"),
        mean_arrival_delay=("arr_delay", "mean"),
    )


def age_bands(years: pd.Series) -> pd.Series:
    """Return the ages in bands and in words: of `10-14` a spreadsheet would make a date."""
    first = years // YEARS_A_BAND * YEARS_A_BAND
    last = first + (YEARS_A_BAND - 1)
    words = first.astype("string") + " to " + last.astype("string") + " years"
    return words.where((years >= 0).fillna(value=False)).fillna(UNKNOWN)


report = Report(
    name="airline_on_time",
    title="Airline on-time performance",
    owner="operations",
    tags=["sample"],
    schedule=Daily(
        at="06:00", timezone="America/New_York", start=date(2013, 1, 1), end=date(2013, 12, 31)
    ),
    params={
        "carrier": Param(
            None,
            type=["null", "string"],
            pattern="^[A-Z0-9]{2}$",
            title="Carrier",
            description="Two-character code, e.g. UA; empty = all carriers.",
        )
    },
    sources=[
        PostgresSource(
            "flights",
            conn_id="operations_db",
            sql="flights.sql",
            columns={
                "carrier": "text not null",
                "tailnum": "text",
                "origin": "text not null",
                "time_hour": "timestamptz not null",
                "dep_time": "int64",
                "dep_delay": "int64",
                "arr_delay": "int64",
            },
        ),
        HttpSource(
            "weather",
            conn_id="weather_api",
            path="/observations",
            pages=CursorPages("next"),
            query={"from": "{period_start}", "to": "{period_end}", "limit": "100"},
            required=False,
            columns={
                "origin": "text not null",
                "time_hour": "timestamptz not null",
                "temp": "float64",
                "visib": "float64",
                "wind_speed": "float64",
            },
        ),
        MessageSource(
            "planes",
            conn_id="reports_broker",
            queue="planes.lookup",
            required=False,
            columns={
                "tailnum": "text not null",
                "manufacturer": "text",
                "year": "int64",
            },
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
                "airline": "text",
                "flights": "int64",
                "cancelled": "int64",
                "diverted": "int64",
                "mean_departure_delay": "float64",
                "late_departures": "int64",
                "mean_arrival_delay": "float64",
                "arrivals": "int64",
                "punctual_arrival_share": "float64",
            },
        ),
        Table(
            "origin_hour",
            key=["origin", "time_hour"],
            columns={
                "origin": "text",
                "time_hour": "timestamptz",
                "local_hour": "int64",
                "flights": "int64",
                "mean_departure_delay": "float64",
                "temp": "float64",
                "visib": "float64",
                "wind_speed": "float64",
            },
        ),
        Table(
            "fleet",
            key=["manufacturer", "age"],
            columns={
                "manufacturer": "text",
                "age": "text",
                "flights": "int64",
                "planes": "int64",
                "mean_arrival_delay": "float64",
            },
        ),
    ],
    retry=Retry(times=2, first_delay=timedelta(seconds=5)),
    exports=[Csv(), Xlsx()],
    deliver=[Email(to=["operations@example.com"])],
    alerts=[AlertByEmail(to=["data-team@example.com"]), AlertBySlack()],
)

dag = build_dag(report)
