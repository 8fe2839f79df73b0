"""Runs that stand still because the file of their report is broken or gone.

Airflow leaves such runs as they are: it starts no task of them and looks at no time limit. If the
file is mended in time they go on. Those over the report's `run_limit` are marked failed here, and
then settled as any other failed run.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from reporting.airflow_edge.connections import airflow_api
from reporting.airflow_edge.faults import Faults
from reporting.airflow_edge.run_context import UNDER_WAY
from reporting.core.airflow_api import AirflowApi, run_path
from reporting.core.airflow_names import TAG

log = logging.getLogger(__name__)


def end_stranded_runs() -> dict[str, int]:
    """Mark as failed what stands still for longer than a run may take; return how many.

    Raises:
        TransientError: some could not be looked at, or ended; all others were.
    """
    api, ended, faults = airflow_api(), list[str](), Faults()
    stale = [d for d in api.pages("dags", "dags", tags=[TAG], exclude_stale=False) if d["is_stale"]]
    for dag in stale:
        with faults.noted(f"report {dag['dag_id']}"):
            _end_overdue(api, dag["dag_id"], ended, faults)
    faults.tell()
    return {"ended": len(ended)}


def is_overdue(run: Mapping[str, Any], dag: Mapping[str, Any], now: datetime) -> bool:
    """Say whether a run stands still for longer than it may take.

    One that has not begun may wait for its turn as long as Airflow can read the file.

    Args:
        run: as Airflow's API tells it.
        dag: the details of its DAG, as Airflow's API tells them.
        now: the moment.
    """
    limit = _duration(dag["dag_run_timeout"])
    if limit is None:
        return False
    read_last = dag["last_parsed_time"] or run["run_after"]
    waits_since = max(_moment(run["run_after"]), _moment(read_last))
    begun = _moment(run["start_date"]) if run["start_date"] else waits_since
    return now - begun > limit


def _end_overdue(api: AirflowApi, report: str, ended: list[str], faults: Faults) -> None:
    query = {"state": list(UNDER_WAY)}
    runs = list(api.pages(f"dags/{report}/dagRuns", "dag_runs", **query))
    details = api.get(f"dags/{report}/details") if runs else {}
    for run in runs:
        run_id = run["dag_run_id"]
        with faults.noted(f"{report} {run_id}"):
            path = run_path(report, run_id)
            # Asked again: the file may have been mended meanwhile, and the run have ended.
            if is_overdue(run, details, datetime.now(UTC)) and api.get(path)["state"] in UNDER_WAY:
                log.warning("File of %s is broken or gone; ending %s.", report, run_id)
                api.patch(path, {"state": "failed"})
                ended.append(run_id)


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


def _duration(text: str | None) -> timedelta | None:
    from pydantic import TypeAdapter

    return TypeAdapter(timedelta | None).validate_python(text)
