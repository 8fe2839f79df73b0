"""The fleet of the sample report against the data set, counted by other means."""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from sample_services import flight_data
from tests.e2e.live import Live

DAY = "2013-01-01"
Group = tuple[str, str]


def test_every_flight_of_the_day_is_in_the_fleet_once(live: Live) -> None:
    run_id = live.run("airline_on_time", period=DAY, refresh=True)

    assert live.rows("SELECT missing FROM reporting.release WHERE run_id = %s", run_id) == [({},)]
    published = live.rows(
        "SELECT manufacturer, age, flights, planes, round(mean_arrival_delay::numeric, 6) "
        "FROM results.airline_on_time__fleet WHERE period = %s",
        DAY,
    )
    assert {row[:2]: (*row[2:4], _float(row[4])) for row in published} == _expected()
    assert len(published) == 39
    assert sum(row[2] for row in published) == 842


def _expected() -> dict[Group, tuple[int, int, float | None]]:
    groups = defaultdict(list)
    for group, flight in _flights():
        groups[group].append(flight)
    return {group: _summary(flights) for group, flights in groups.items()}


def _flights() -> Iterator[tuple[Group, dict[str, str]]]:
    with flight_data.planes().open(newline="") as file:
        planes = {plane["tailnum"]: plane for plane in csv.DictReader(file)}
    with flight_data.open_flights() as raw:
        for flight in csv.DictReader(io.TextIOWrapper(raw)):
            if (flight["month"], flight["day"]) != ("1", "1"):
                return  # the file is in the order of days
            plane = planes.get(flight["tailnum"], {"manufacturer": "unknown", "year": "NA"})
            yield (plane["manufacturer"], _age(plane["year"])), flight


def _age(year: str) -> str:
    if year == "NA":
        return "unknown"
    bands = {range(low, low + 5): f"{low} to {low + 4} years" for low in range(0, 100, 5)}
    return next(words for band, words in bands.items() if 2013 - int(year) in band)


def _summary(flights: list[dict[str, str]]) -> tuple[int, int, float | None]:
    tails = {flight["tailnum"] for flight in flights} - {"NA"}
    delays = [int(flight["arr_delay"]) for flight in flights if flight["arr_delay"] != "NA"]
    mean = round(sum(delays) / len(delays), 6) if delays else None
    return len(flights), len(tails), mean


def _float(value: Any) -> float | None:
    return None if value is None else float(value)
