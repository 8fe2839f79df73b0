"""The monthly sample report on a live Airflow: figures from the file, months as they are asked for.

The expected figures are computed here from the data set itself, in fractions.
"""

from __future__ import annotations

import csv
import io
import os
import signal
import zipfile
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from embedded_stack.layout import CHECKOUT
from embedded_stack.stack import Stack
from reporting.errors import InputError
from sample_services.rates_data import data_file
from tests.docs_pages import blocks
from tests.e2e.live import Live, eventually
from tests.e2e.test_docs import Reader

REPORT = "exchange_rates"
VIEW = "results.exchange_rates__currency_month"
PAGE = CHECKOUT / "docs" / "how-to" / "report-on-months.md"
FIGURES = "currency, fixings, first_rate, last_rate, lowest_rate, highest_rate"


@dataclass(frozen=True)
class Month:
    """The rates of a month per currency, in the order of the days."""

    rates: dict[str, list[Fraction]]

    @classmethod
    def read(cls, month: str) -> Month:
        """Read them from the data set, of which the newest day comes first."""
        with zipfile.ZipFile(data_file()) as archive:
            text = archive.read("eurofxref-hist.csv").decode()
        days = [row for row in csv.DictReader(io.StringIO(text)) if row["Date"].startswith(month)]
        rates: dict[str, list[Fraction]] = {}
        for day in sorted(days, key=lambda row: row["Date"]):
            for currency, rate in day.items():
                if currency not in ("Date", "") and rate not in ("N/A", ""):
                    rates.setdefault(currency, []).append(Fraction(rate))
        return cls(rates)


def nearest(value: Fraction, digits: int) -> Decimal:
    """Round to the even one of two equally near; Python does so with fractions."""
    return Decimal(round(value * 10**digits)).scaleb(-digits)


def figures(month: str, before: str) -> list[tuple[Any, ...]]:
    """Return what the report is to publish, by currency."""
    now, then = Month.read(month).rates, Month.read(before).rates
    rows = []
    for currency, rates in sorted(now.items()):
        mean = nearest(sum(rates, Fraction(0)) / len(rates), 6)
        last = then.get(currency, [None])[-1]
        change = None if last is None else nearest((rates[-1] - last) * 100 / last, 4)
        exact = [nearest(rate, 6) for rate in (rates[0], rates[-1], min(rates), max(rates))]
        rows.append((currency, len(rates), *exact, mean, change))
    return rows


def published(live: Live, month: str) -> list[tuple[Any, ...]]:
    return live.rows(
        f"SELECT {FIGURES}, mean_rate, change_percent FROM {VIEW} "
        'WHERE period = %s ORDER BY currency COLLATE "C"',
        month,
    )


def test_the_page_can_be_followed_and_its_month_is_right(live: Live) -> None:
    reader = Reader(live, PAGE)
    for block in blocks(PAGE, "console"):
        reader.follow(block)

    assert published(live, "2013-01") == figures("2013-01", "2012-12")
    assert len(published(live, "2013-01")) == 33
    assert len(live.mails("Exchange rates, 2013-01 (version 1)")) == 1


def test_files_are_named_by_the_month_and_hold_the_figures(live: Live) -> None:
    run_id = live.run(REPORT, period="2013-02")
    files = live.api.xcom(REPORT, run_id, "store")["files"]

    assert all(key.startswith(f"{REPORT}/2013-02/") for key in files)
    body = live.s3.get_object(
        Bucket="reports", Key=next(key for key in files if key.endswith(".csv"))
    )["Body"].read()
    rows = list(csv.DictReader(io.StringIO(body.decode("utf-8-sig"), newline="")))
    expected = figures("2013-02", "2013-01")
    assert [row["currency"] for row in rows] == [row[0] for row in expected]
    assert [Decimal(row["mean_rate"]) for row in rows] == [row[6] for row in expected]


def test_a_currency_without_a_month_before_has_no_change(live: Live) -> None:
    """Iceland's crown had no rate from 2008 on; its first one came in February 2018."""
    live.run(REPORT, period="2018-02")

    assert published(live, "2018-02") == figures("2018-02", "2018-01")
    unknown = [row[0] for row in published(live, "2018-02") if row[-1] is None]
    assert unknown == ["ISK"]


def test_two_triggers_for_a_month_make_one_publish(live: Live) -> None:
    """F26: the second ends at once, green, and points to the first."""
    pair = [live.trigger(REPORT, period="2014-01") for _ in range(2)]

    assert {live.ended(REPORT, run) for run in pair} == {"success"}
    others = [live.api.xcom(REPORT, run, "init", "duplicate_of") for run in pair]
    (first,) = filter(None, others)
    released = live.rows(
        "SELECT run_id, version FROM reporting.release WHERE report = %s AND period = '2014-01'",
        REPORT,
    )
    assert released == [(first, 1)]


@pytest.mark.parametrize("period", ["2013-1", "2013-13", "2013-01-01", ""])
def test_the_form_refuses_what_is_no_month(live: Live, period: str) -> None:
    with pytest.raises(InputError, match="period"):
        live.trigger(REPORT, period=period)


def test_a_month_that_is_not_over_is_refused(live: Live) -> None:
    now = datetime.now(UTC).astimezone(ZoneInfo("Europe/Berlin"))
    run_id = live.trigger(REPORT, period=f"{now:%Y-%m}")

    assert live.ended(REPORT, run_id) == "failed"
    assert "allowed: a month that is over" in live.failure(REPORT, run_id, "init")


def test_without_a_period_the_last_complete_month_is_taken(live: Live) -> None:
    """F21: over REST the logical date is null and there is no data interval."""
    run_id = live.trigger(REPORT)
    live.ended(REPORT, run_id)  # green only as long as the data set has that month

    now = datetime.now(UTC).astimezone(ZoneInfo("Europe/Berlin"))
    first = now.replace(day=1, hour=6, minute=0, second=0, microsecond=0)
    due = first if now >= first else (first - timedelta(days=1)).replace(day=1)
    expected = due.date() - timedelta(days=1)
    assert live.api.xcom(REPORT, run_id, "init")["period"] == f"{expected:%Y-%m}"


def test_a_killed_service_comes_back_and_the_report_is_published(live: Live, stack: Stack) -> None:
    """It knows its jobs, and whom to call back, after its restart."""
    run_id = live.trigger(REPORT, period="2014-02")
    live.await_task(REPORT, run_id, "fetch_previous", "deferred")
    (pid,) = [service.pid for service in stack.status() if service.name == "rates"]
    assert pid is not None
    os.kill(pid, signal.SIGKILL)

    assert live.ended(REPORT, run_id) == "success"
    assert published(live, "2014-02") == figures("2014-02", "2014-01")


def test_a_backfill_of_a_range_of_months_makes_just_these(live: Live) -> None:
    backfill = live.api.post(
        "backfills",
        {
            "dag_id": REPORT,
            "from_date": "2013-03-01T00:00:00+01:00",
            "to_date": "2013-04-30T23:59:59+02:00",
            "max_active_runs": 2,
            "reprocess_behavior": "none",
        },
    )
    eventually(
        "the backfill to end",
        lambda: live.api.get(f"backfills/{backfill['id']}")["completed_at"],
        seconds=240,
    )
    released = live.rows(
        "SELECT period, version FROM reporting.release "
        "WHERE report = %s AND run_id LIKE 'backfill__%%' ORDER BY period",
        REPORT,
    )
    assert released == [("2013-03", 1), ("2013-04", 1)]
    assert published(live, "2013-04") == figures("2013-04", "2013-03")
