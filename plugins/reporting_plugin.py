"""Makes the package's timetable known to Airflow."""

from __future__ import annotations

from airflow.plugins_manager import AirflowPlugin

from reporting.airflow_edge.timetable import EndingTimetable


class ReportingPlugin(AirflowPlugin):
    """What Airflow must know to read a report's DAG; it serves no web route."""

    name = "reporting"
    timetables = [EndingTimetable]  # noqa: RUF012 - Airflow reads the attribute as it is
