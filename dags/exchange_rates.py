"""Exchange rates: what one euro was worth in each currency over a month."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import ROUND_HALF_EVEN, Decimal
from typing import TYPE_CHECKING, Any

from reporting import (
    AlertByEmail,
    AlertBySlack,
    Csv,
    Email,
    Fresh,
    HttpJobSource,
    Monthly,
    NdjsonBody,
    Report,
    Retry,
    Table,
    Xlsx,
)
from reporting.airflow_edge.dag import build_dag

if TYPE_CHECKING:
    import pandas as pd

    from reporting.core.inputs import Inputs

RATE = "decimal(13,6)"
MEAN_STEP, PERCENT_STEP = Decimal("0.000001"), Decimal("0.0001")
FIXING = {"date": "date not null", "currency": "text not null", "rate": f"{RATE} not null"}


def compute(inputs: Inputs) -> dict[str, pd.DataFrame]:
    """Return the table; pure: what it reads is staged, what it returns is stored for it."""
    return {"currency_month": currency_month(inputs.frame("rates"), inputs.frame("previous"))}


def currency_month(rates: pd.DataFrame, previous: pd.DataFrame) -> pd.DataFrame:
    """Return one row per currency that had a fixing in the month.

    A day on which a currency has no rate counts nowhere. The mean is rounded to six digits after
    the point and the change to four, half to even; the other figures are as published.
    """
    import pandas as pd

    # Python's own decimals: a mean of Arrow's would be cut to their scale.
    exact = rates.sort_values(["currency", "date"]).astype({"rate": object})
    table = exact.groupby("currency", as_index=False).agg(
        fixings=("rate", "size"),
        first_rate=("rate", "first"),
        last_rate=("rate", "last"),
        lowest_rate=("rate", "min"),
        highest_rate=("rate", "max"),
        mean_rate=("rate", mean),
    )
    before = dict(zip(previous.currency, previous.rate, strict=True))
    lasts = zip(table.currency, table.last_rate, strict=True)
    changes = [change(before.get(currency), last) for currency, last in lasts]
    return table.assign(change_percent=pd.Series(changes, dtype=object))


def mean(rates: pd.Series[Any]) -> Decimal:
    """Return the mean of exact rates."""
    return rounded(sum(rates, Decimal(0)) / len(rates), MEAN_STEP)


def change(before: Decimal | None, last: Decimal) -> Decimal | None:
    """Return the change in percent; None when there was no rate before."""
    return None if before is None else rounded((last - before) * 100 / before, PERCENT_STEP)


def rounded(value: Decimal, step: Decimal) -> Decimal:
    """Return the nearest multiple of `step`, of two equally near ones the even one."""
    return value.quantize(step, rounding=ROUND_HALF_EVEN)


report = Report(
    name="exchange_rates",
    title="Exchange rates",
    owner="treasury",
    tags=["sample"],
    # The last whole year of the sample's data.
    schedule=Monthly(
        at="06:00", timezone="Europe/Berlin", start=date(2013, 1, 1), end=date(2025, 12, 31)
    ),
    sources=[
        HttpJobSource(
            "rates",
            conn_id="rates_api",
            path="/jobs",
            request={"rates": "in_month", "month": "{period}"},
            wait="poll",
            body=NdjsonBody(),
            columns=FIXING,
            # About 30 currencies on 18 to 23 working days; none longer ago than a long weekend.
            min_rows=400,
            fresh=Fresh("date", within=timedelta(days=4)),
        ),
        HttpJobSource(
            "previous",
            conn_id="rates_api",
            path="/jobs",
            request={"rates": "last_before_month", "month": "{period}"},
            wait="callback",
            body=NdjsonBody(),
            columns=FIXING,
            min_rows=20,
            time_limit=timedelta(minutes=10),
        ),
    ],
    compute=compute,
    tables=[
        Table(
            "currency_month",
            key=["currency"],
            columns={
                "currency": "text",
                "fixings": "int64",
                "first_rate": RATE,
                "last_rate": RATE,
                "lowest_rate": RATE,
                "highest_rate": RATE,
                "mean_rate": RATE,
                "change_percent": "decimal(12,4)",
            },
        ),
    ],
    retry=Retry(times=2, first_delay=timedelta(seconds=5)),
    exports=[Csv(), Xlsx()],
    deliver=[Email(to=["treasury@example.com"])],
    alerts=[AlertByEmail(to=["data-team@example.com"]), AlertBySlack()],
)

dag = build_dag(report)
