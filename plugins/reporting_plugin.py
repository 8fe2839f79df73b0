"""Makes the package's timetable known to Airflow and warms up the processes that fork tasks."""

from __future__ import annotations

import logging
import sys
from typing import Any

from airflow.plugins_manager import AirflowPlugin

from reporting.airflow_edge.timetable import EndingTimetable
from reporting.airflow_edge.warm_start import forks_tasks, warm_start

log = logging.getLogger(__name__)
CENTER = "Report center"


def _web_apps() -> list[dict[str, Any]]:
    """Return what the API server mounts; the other processes import no web framework for it."""
    if "api-server" not in sys.argv:
        return []
    from reporting.airflow_edge.callback_address import ROUTE
    from reporting.airflow_edge.callback_app import callback_app

    # The first prefix that fits is taken, so the longer one comes first.
    callbacks = {"app": callback_app(), "url_prefix": ROUTE, "name": "Report callbacks"}
    return [callbacks, *_report_center()]


def _report_center() -> list[dict[str, Any]]:
    """Return the report center; a fault in it must take down neither Airflow nor the callbacks."""
    try:
        from report_center.app import report_center_app

        return [{"app": report_center_app(), "url_prefix": "/reports", "name": CENTER}]
    except Exception:  # whatever it is, Airflow goes on without
        log.exception("The report center is left out.")
        return []


def _views(apps: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return where Airflow's UI shows the report center, if it is mounted."""
    if all(app["name"] != CENTER for app in apps):
        return []
    try:
        from airflow.configuration import conf

        from report_center.views import external_views

        return external_views(conf.get("api", "base_url", fallback="/"))
    except Exception:  # a page less in the navigation, no more
        log.exception("The report center is left out of the navigation.")
        return []


class ReportingPlugin(AirflowPlugin):
    """What Airflow must know to run reports; only callbacks of services come without a login."""

    name = "reporting"
    timetables = [EndingTimetable]  # noqa: RUF012 - Airflow reads the attribute as it is
    fastapi_apps = _web_apps()
    external_views = _views(fastapi_apps)

    @classmethod
    def on_load(cls, *_args: Any, **_kwargs: Any) -> None:
        """Load what tasks import once, where tasks are forked from."""
        if forks_tasks(sys.argv):
            warm_start()
