"""What starts the runs of a report, in Airflow's words: a timetable, assets, or both."""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Any

from reporting.definition.starts import OnSchedule, UpstreamEvent

if TYPE_CHECKING:
    from reporting.definition.report import Report


def schedule_of(report: Report, timetable: Any) -> Any:
    """Return the DAG's schedule.

    Args:
        report: says what starts its runs.
        timetable: of its schedule.
    """
    by_clock = any(isinstance(start, OnSchedule) for start in report.starts_on)
    events = [start for start in report.starts_on if isinstance(start, UpstreamEvent)]
    if not events:
        return timetable if by_clock else None
    # Any of them starts a run: a list would mean that all must come first.
    assets = reduce(or_, map(_asset, events))
    if not by_clock:
        return assets
    from airflow.sdk import AssetOrTimeSchedule

    return AssetOrTimeSchedule(timetable=timetable, assets=assets)


def _asset(event: UpstreamEvent) -> Any:
    from airflow.sdk import Asset, AssetWatcher

    if not event.queue:
        return Asset(event.name)
    from reporting.airflow_edge.event_trigger import UpstreamEventTrigger

    trigger = UpstreamEventTrigger(event.name, event.queue, event.conn_id)
    return Asset(event.name, watchers=[AssetWatcher(name=event.queue, trigger=trigger)])
