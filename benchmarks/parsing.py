"""How long Airflow needs for the file of a report, beyond importing Airflow itself."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from benchmarks.figure import Figure, middle
from embedded_stack.layout import CHECKOUT

GOAL_MS = 50
ROUNDS = 9
# Airflow's dag-processor has imported this much before it forks a process for a file.
PARSE = """
import runpy, sys, time
import airflow.timetables.interval
from airflow.sdk import DAG, BaseOperator, CronDataIntervalTimetable, ExceptionRetryPolicy
from airflow.sdk import Param, TriggerRule, get_parsing_context
started = time.perf_counter()
runpy.run_path(sys.argv[1])
print(time.perf_counter() - started)
"""


def measure() -> list[Figure]:
    """Return the time for a report's file, next to that for a bare DAG of the same shape."""
    report, bare = [], []
    for _ in range(ROUNDS):
        report.append(_milliseconds(CHECKOUT / "dags" / "airline_on_time.py"))
        bare.append(_milliseconds(CHECKOUT / "benchmarks" / "dags" / "bare.py"))
    compared = f"a bare DAG of the same shape: {middle(bare):g} ms"
    return [Figure("parse a report's file", middle(report), "ms", GOAL_MS, compared)]


def _milliseconds(path: Path) -> float:
    answer = subprocess.run(
        [sys.executable, "-c", PARSE, str(path)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "AIRFLOW_HOME": str(CHECKOUT / "var" / "bench" / "parsing")},
    )
    return float(answer.stdout.splitlines()[-1]) * 1000
