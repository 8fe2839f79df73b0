"""The report whose data is moved, and a run of it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import TYPE_CHECKING

from benchmarks.rows import COLUMNS, KEY, TABLE
from reporting.airflow_edge.warm_start import warm_start
from reporting.core.run import Run, RunId
from reporting.definition.daily import Daily
from reporting.definition.report import Report
from reporting.definition.sources import PostgresSource
from reporting.definition.tables import Table

if TYPE_CHECKING:
    import pandas as pd

    from reporting.core.inputs import Inputs

SOURCE = "orders"
DAILY = Daily(at="06:00", timezone="UTC")
warm_start()  # as the process has done that a task is forked from


def compute(inputs: Inputs) -> Mapping[str, pd.DataFrame]:
    """Return the source as it is."""
    return {TABLE: inputs.frame(SOURCE)}


def a_source(sql: str) -> PostgresSource:
    """Return the source that holds the rows of a query."""
    return PostgresSource(SOURCE, conn_id="operations_db", sql=sql, columns=COLUMNS)


def a_report(name: str, sql: str = "SELECT 1") -> Report:
    """Return a report that publishes its source as it is."""
    return Report(
        name=name,
        title="Benchmark",
        schedule=DAILY,
        sources=[a_source(sql)],
        compute=compute,
        tables=[Table(TABLE, key=[KEY], columns=COLUMNS)],
    )


def a_run(report: str) -> Run:
    """Return the run of a report."""
    return Run(RunId(report, "bench"), DAILY.period_of_day(date(2024, 5, 1)), {}, is_default=True)
