"""Makes the package's timetable known to Airflow and warms up the processes that fork tasks."""

from __future__ import annotations

import sys
from typing import Any

from airflow.plugins_manager import AirflowPlugin

from reporting.airflow_edge.timetable import EndingTimetable
from reporting.airflow_edge.warm_start import forks_tasks, warm_start


def _web_apps() -> list[dict[str, Any]]:
    """Return what the API server mounts; the other processes import no web framework for it."""
    if "api-server" not in sys.argv:
        return []
    from reporting.airflow_edge.callback_address import ROUTE
    from reporting.airflow_edge.callback_app import callback_app
    from reporting.airflow_edge.report_app import report_app

    # The first prefix that fits is taken, so the longer one comes first.
    return [
        {"app": callback_app(), "url_prefix": ROUTE, "name": "Report callbacks"},
        {"app": report_app(), "url_prefix": "/reports", "name": "Reports"},
    ]


class ReportingPlugin(AirflowPlugin):
    """What Airflow must know to run reports; only callbacks of services come without a login."""

    name = "reporting"
    timetables = [EndingTimetable]  # noqa: RUF012 - Airflow reads the attribute as it is
    fastapi_apps = _web_apps()

    @classmethod
    def on_load(cls, *_args: Any, **_kwargs: Any) -> None:
        """Load what tasks import once, where tasks are forked from."""
        if forks_tasks(sys.argv):
            warm_start()
