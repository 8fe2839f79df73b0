"""What Airflow hands to a task, as far as the steps that fetch look at it."""

from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

from reporting.core.run import RunId
from reporting.definition.report import Report
from reporting.definition.source import Source
from tests.specimens import a_report


def report_of(run: RunId, source: Source) -> Report:
    """Return the report that a run is of, with one source."""
    return a_report(name=run.report, sources=[source])


def context_of(run: RunId) -> Any:
    """Return the context of a task of a run that a person has started on 2024-05-02."""
    dag_run = SimpleNamespace(
        dag_id=run.report,
        run_id=run.run_id,
        run_type="manual",
        clear_number=0,
        start_date=None,
        run_after=datetime(2024, 5, 2, 12, tzinfo=UTC),
        data_interval_start=None,
    )
    return {"dag_run": dag_run, "params": {}}
