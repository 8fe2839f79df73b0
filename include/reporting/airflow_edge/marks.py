"""Who has marked a run, or a task of it, by hand: told by Airflow's audit log."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from reporting.airflow_edge.connections import airflow_api

if TYPE_CHECKING:
    from reporting.core.airflow_api import AirflowApi
    from reporting.core.run import RunId

log = logging.getLogger(__name__)
# What Airflow's audit log calls the marking of runs and tasks, one or many at once.
MARKS = (
    "patch_dag_run",
    "bulk_dag_runs",
    "patch_task_instance",
    "bulk_task_instances",
    "patch_task_group_instances",
)
PATIENCE_SECONDS = 5.0  # an alert does not wait long for a name


def marks_of(api: AirflowApi, run: RunId) -> Iterator[Mapping[str, Any]]:
    """Yield the entries by which somebody has marked the run, or a task of it, in this life."""
    since = {"after": run.started} if run.started else {}
    marks = api.pages("eventLogs", "event_logs", included_events=list(MARKS), **since)
    # Of marks of many at once, the request alone names the runs; a note has no state.
    return (
        mark
        for mark in marks
        if 'state"' in (mark["extra"] or "")
        and (mark["run_id"] == run.run_id or f'"{run.run_id}"' in mark["extra"])
        and mark["dag_id"] in (run.report, None, "~")
    )


def find_who_ended(run: RunId, step: str | None) -> str | None:
    """Return who has marked the run, or this task of it, failed; None when nobody is known to.

    An alert goes out without it, so no fault of Airflow's API gets through.
    """
    try:
        api = replace(airflow_api(), patience=PATIENCE_SECONDS)
        return who_ended(api, run, step)
    except Exception as error:  # noqa: BLE001 - such as a connection that is not there
        log.info("Who has ended run %s is not known: %s", run.run_id, type(error).__name__)
        return None


def who_ended(api: AirflowApi, run: RunId, step: str | None) -> str | None:
    """Return who has marked the run, or this task of it, failed; the last one of several."""
    ended = [
        mark
        for mark in marks_of(api, run)
        if '"failed"' in mark["extra"] and mark.get("task_id") in (None, step)
    ]
    last = max(ended, key=lambda mark: str(mark.get("when")), default=None)
    return None if last is None else last.get("owner")
