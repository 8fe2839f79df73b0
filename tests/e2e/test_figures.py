"""The sample report on a live Airflow: the figures are right, complete and the same everywhere."""

from __future__ import annotations

import csv
import io

import openpyxl
import pytest

from tests.e2e.live import Live

CARRIERS = "SELECT carrier, flights, cancelled, round(mean_departure_delay::numeric, 2) FROM "
VIEW = "results.airline_on_time__carrier_day"


@pytest.fixture(scope="module")
def new_year(live: Live) -> str:
    """A run for 2013-01-01."""
    return live.run("airline_on_time", period="2013-01-01")


@pytest.mark.usefixtures("new_year")
def test_totals_of_new_year(live: Live) -> None:
    totals = live.rows(
        "SELECT sum(flights), sum(cancelled), sum(diverted), sum(late_departures), count(*) "
        f"FROM {VIEW} WHERE period = '2013-01-01'"
    )
    assert totals == [(842, 4, 7, 158, 14)]


@pytest.mark.usefixtures("new_year")
def test_carriers_of_new_year(live: Live) -> None:
    found = live.rows(f"{CARRIERS}{VIEW} WHERE period = '2013-01-01' ORDER BY flights DESC LIMIT 3")
    carriers = [(row[0], row[1], row[2], float(row[3])) for row in found]
    assert carriers == [("UA", 165, 0, 7.65), ("B6", 163, 1, 10.55), ("EV", 116, 1, 33.32)]


def test_files_hold_the_published_figures(live: Live, new_year: str) -> None:
    files = live.api.xcom("airline_on_time", new_year, "store")["files"]
    assert sorted(key.rpartition("/")[2] for key in files) == [
        "airline_on_time_carrier_day.csv",
        "airline_on_time_carrier_day.xlsx",
        "airline_on_time_fleet.csv",
        "airline_on_time_fleet.xlsx",
        "airline_on_time_origin_hour.csv",
        "airline_on_time_origin_hour.xlsx",
    ]
    published = live.rows(f"SELECT carrier, flights FROM {VIEW} WHERE period = '2013-01-01'")
    body = {key.rpartition(".")[2]: _body(live, key) for key in files if "carrier_day" in key}
    assert _csv_rows(body["csv"]) == sorted(published)
    assert xlsx_rows(body["xlsx"]) == sorted(published)


@pytest.mark.usefixtures("new_year")
def test_files_are_mailed(live: Live) -> None:
    mails = live.mails("Airline on-time performance, 2013-01-01 (version 1)")
    assert len(mails) == 1


def test_xcoms_are_references_and_counts_only(live: Live, new_year: str) -> None:
    """F19."""
    sizes = {}
    for task in live.states("airline_on_time", new_year):
        value = live.api.xcom("airline_on_time", new_year, task)
        sizes[task] = len(str(value))
    assert max(sizes.values()) < 10_000


@pytest.mark.usefixtures("new_year")
def test_a_second_run_with_refresh_makes_version_two(live: Live) -> None:
    again = live.run("airline_on_time", period="2013-01-01", refresh=True)
    assert live.api.xcom("airline_on_time", again, "store")["version"] == 2
    assert live.rows(f"SELECT sum(flights) FROM {VIEW} WHERE period = '2013-01-01'") == [(842,)]


def test_day_of_25_hours(live: Live) -> None:
    live.run("airline_on_time", period="2013-11-03")
    hours = live.rows(
        "SELECT local_hour, count(*), count(DISTINCT time_hour), count(temp) "
        "FROM results.airline_on_time__origin_hour "
        "WHERE period = '2013-11-03' AND origin = 'JFK' AND local_hour < 3 "
        "GROUP BY local_hour ORDER BY local_hour"
    )
    assert [(hour, rows, instants) for hour, rows, instants, _ in hours] == [
        (0, 1, 1),
        (1, 2, 2),
        (2, 1, 1),
    ]
    total = live.rows(f"SELECT sum(flights) FROM {VIEW} WHERE period = '2013-11-03'")
    assert total == [(902,)]


def test_day_without_weather_is_published_and_says_so(live: Live) -> None:
    run_id = live.run("airline_on_time", period="2013-12-31")
    assert live.rows(f"SELECT sum(flights) FROM {VIEW} WHERE period = '2013-12-31'") == [(776,)]
    missing = live.rows("SELECT missing FROM reporting.release WHERE run_id = %s", run_id)
    assert missing == [({"weather": "0 rows; at least 1 are due"},)]
    subject = "[incomplete] Airline on-time performance, 2013-12-31: without weather"
    assert len(live.mails(subject)) == 1
    assert len(live.slacks(subject)) == 1


@pytest.mark.usefixtures("new_year")
def test_one_carrier_does_not_add_to_the_figures_of_all(live: Live) -> None:
    live.run("airline_on_time", period="2013-01-01", carrier="UA")
    assert live.rows(f"SELECT sum(flights) FROM {VIEW} WHERE period = '2013-01-01'") == [(842,)]
    cut = live.rows(
        f"SELECT carrier, flights FROM {VIEW}__by_params "
        "WHERE period = '2013-01-01' AND params @> '{\"carrier\": \"UA\"}'"
    )
    assert cut == [("UA", 165)]


def _body(live: Live, key: str) -> bytes:
    body: bytes = live.s3.get_object(Bucket="reports", Key=key)["Body"].read()
    return body


def _csv_rows(body: bytes) -> list[tuple[str, int]]:
    rows = csv.DictReader(io.StringIO(body.decode("utf-8-sig"), newline=""))
    return sorted((row["carrier"], int(row["flights"])) for row in rows)


def xlsx_rows(body: bytes) -> list[tuple[str, int]]:
    """Return carrier and flights of each row of a workbook."""
    sheet = openpyxl.load_workbook(io.BytesIO(body)).worksheets[0]
    header, *rows = sheet.iter_rows(values_only=True)
    carrier, flights = header.index("carrier"), header.index("flights")
    return sorted((str(row[carrier]), int(str(row[flights]))) for row in rows)
