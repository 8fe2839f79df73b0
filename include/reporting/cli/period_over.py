"""Refuses a period that is not over before a run is made: the run itself could only fail."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import quote

from reporting.cli.report_api import ROOT
from reporting.definition.description import schedule_in
from reporting.errors import TerminalError, TransientError

if TYPE_CHECKING:
    from reporting.core.airflow_api import AirflowApi
    from reporting.definition.schedule import Schedule


def demand_over(api: AirflowApi, report: str, period: str) -> None:
    """Refuse a period that is not over.

    Raises:
        InputError: it is not, or is none of the calendar.
    """
    schedule = _schedule_of(api, report)
    if schedule is not None:
        schedule.period_asked_for(period, datetime.now(UTC))


def _schedule_of(api: AirflowApi, report: str) -> Schedule | None:
    """Return what bounds the periods; None where nobody tells it, so that the run decides."""
    center = replace(api, root=ROOT)
    try:
        definition = center.get(f"reports/{quote(report, safe='')}")["definition"]
    except (TerminalError, TransientError):
        return None
    return schedule_in(definition) if definition else None
