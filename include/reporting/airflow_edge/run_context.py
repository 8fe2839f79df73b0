"""Reads Airflow's context as the `Run` the core works with."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC
from typing import TYPE_CHECKING, Any

from reporting.core.airflow_names import FAILURE
from reporting.core.run import Run, RunId, is_same, split_period
from reporting.core.states import FETCH_PREFIX, TaskStates
from reporting.definition.period import demand_over

if TYPE_CHECKING:
    from airflow.sdk import Context

    from reporting.definition.period import Daily, Period
    from reporting.definition.report import Report


def run_of(report: Report, context: Context) -> Run:
    """Return the run; params that were not given have their default.

    Raises:
        InputError: the param `period` is no calendar day, or one that was not over yet.
    """
    dag_run = context["dag_run"]
    given = dict(context["params"])
    asked, rest = split_period(given)
    params = {name: rest.get(name, param.default) for name, param in report.params.items()}
    return Run(
        identity_of(dag_run),
        _period(report.schedule, asked, dag_run),
        params,
        is_same(params, {name: param.default for name, param in report.params.items()}),
    )


def identity_of(dag_run: Any) -> RunId:
    """Return which run, and which life of it, Airflow's DAG run is."""
    started = dag_run.start_date
    return RunId(
        dag_run.dag_id,
        dag_run.run_id,
        dag_run.clear_number or 0,
        started.astimezone(UTC).isoformat() if started else "",
    )


def given_params(context: Context) -> Mapping[str, Any]:
    """Return what was sent, unknown names included, over the defaults."""
    sent: Mapping[str, Any] = context["dag_run"].conf or {}
    return {**dict(context["params"]), **sent}


def task_states(context: Context) -> TaskStates:
    """Return the state of every task of the run."""
    ti: Any = context["ti"]
    found: Mapping[str, TaskStates] = ti.get_task_states(dag_id=ti.dag_id, run_ids=[ti.run_id])
    return found.get(ti.run_id, {})


UNDER_WAY = ("queued", "running")
EVER = (*UNDER_WAY, "success", "failed")


def is_run_in(ti: Any, run: RunId, states: Sequence[str]) -> bool:
    """Say whether a run is in one of `states`; one that was deleted is in none."""
    count = ti.get_dr_count(dag_id=run.report, run_ids=[run.run_id], states=list(states))
    return bool(count)


def dag_run_of(ti: Any, run: RunId) -> Any | None:
    """Return another run as Airflow's Execution API tells it, or None when it was deleted.

    The public REST API does not say how often a run was cleared.
    """
    from airflow.sdk.execution_time.comms import GetDagRun
    from airflow.sdk.execution_time.task_runner import SUPERVISOR_COMMS

    if not is_run_in(ti, run, EVER):
        return None
    return SUPERVISOR_COMMS.send(GetDagRun(dag_id=run.report, run_id=run.run_id))


def failure_of(context: Context, task_id: str, dag_id: str, run_id: str) -> str | None:
    """Return the error a task left when it failed, in words; None when it was killed."""
    ti: Any = context["ti"]
    found = ti.xcom_pull(dag_id=dag_id, run_id=run_id, task_ids=task_id, key=FAILURE)
    return None if found is None else str(found)


def missing_sources(report: Report, context: Context) -> dict[str, str]:
    """Return the optional sources the run goes on without, with the reason."""
    ti: Any = context["ti"]
    found = ti.xcom_pull(task_ids="await_sources")
    if isinstance(found, str):  # Airflow encodes what a trigger returns once more
        found = json.loads(found)
    missing: Mapping[str, str] = (found or {}).get("missing", {})
    return {
        name: failure_of(context, FETCH_PREFIX + name, report.name, ti.run_id) or reason
        for name, reason in missing.items()
    }


def _period(schedule: Daily, asked: str | None, dag_run: Any) -> Period:
    """Return the period: the one asked for, else the one of the data interval, else the last.

    A data interval starts on the day it reports on. A run triggered by hand without a logical
    date has none and takes the last day that was complete when it was due.
    """
    if asked is not None:
        return schedule.period_asked_for(asked, dag_run.run_after)
    if dag_run.data_interval_start is not None:
        period = schedule.period_starting_at(dag_run.data_interval_start)
        demand_over(period, dag_run.run_after)
        return period
    return schedule.period_at(dag_run.run_after)
