"""Wall time of one report run against a bare DAG of the same shape, taken in turns."""

from __future__ import annotations

from benchmarks.figure import Figure, middle
from benchmarks.live_airflow import LiveAirflow, live_airflow

GOAL = 1.3
ROUNDS = 7


def measure() -> list[Figure]:
    """Return the ratio of the two medians, on a stack of its own that is removed afterwards."""
    with live_airflow({}) as airflow:
        return [_compare(airflow)]


def _compare(airflow: LiveAirflow) -> Figure:
    airflow.until_known("bare", "airline_on_time")
    report, bare = [], []
    for day in range(ROUNDS + 1):
        bare.append(airflow.seconds("bare", {})[1])
        report.append(airflow.seconds("airline_on_time", {"period": f"2013-01-{day + 1:02d}"})[1])
        print(f"  round {day}: report {report[-1]:.1f} s, bare {bare[-1]:.1f} s", flush=True)
    # The first round warms caches and creates the warehouse.
    ratio = middle(report[1:]) / middle(bare[1:])
    compared = f"a bare DAG: {middle(bare[1:]):g} s; the report: {middle(report[1:]):g} s"
    return Figure("one airline_on_time run", round(ratio, 2), "x", GOAL, compared)
