"""Makes the package's timetable known to Airflow and warms up the processes that fork tasks."""

from __future__ import annotations

import sys
from typing import Any

from airflow.plugins_manager import AirflowPlugin

from reporting.airflow_edge.timetable import EndingTimetable
from reporting.airflow_edge.warm_start import forks_tasks, warm_start


class ReportingPlugin(AirflowPlugin):
    """What Airflow must know to run reports; it serves no web route."""

    name = "reporting"
    timetables = [EndingTimetable]  # noqa: RUF012 - Airflow reads the attribute as it is

    @classmethod
    def on_load(cls, *_args: Any, **_kwargs: Any) -> None:
        """Load what tasks import once, where tasks are forked from."""
        if forks_tasks(sys.argv):
            warm_start()
