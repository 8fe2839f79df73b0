"""Reads Airflow's context as the `Run` the core works with."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC
from typing import TYPE_CHECKING, Any

from reporting.core.airflow_names import FAILURE, FAILURE_CLASSES
from reporting.core.run import Run, RunId, is_same, split_period
from reporting.core.states import FETCH_PREFIX, INIT, TaskStates
from reporting.errors import InputError

if TYPE_CHECKING:
    from airflow.sdk import Context

    from reporting.definition.period import Period
    from reporting.definition.report import Report
    from reporting.definition.schedule import Schedule

# Airflow's types of a run that an event, and that a person or a program has started over UI, REST
# or command line.
BY_EVENT, BY_HAND = "asset_triggered", "manual"
BY_BACKFILL = "backfill"


def run_of(report: Report, context: Context) -> Run:
    """Return the run; params that were not given have their default.

    Raises:
        InputError: the param `period` names no period, one that was not over yet, or of a run of a
            backfill another than its own; or events have started the run and `init` has not
            decided what it reports on.
    """
    dag_run: Any = context["dag_run"]
    if dag_run.run_type == BY_EVENT:
        return _run_decided(report, context)
    given = dict(context["params"])
    asked, rest = split_period(given)
    return run_asked(report, dag_run, _period(report.schedule, asked, dag_run), rest)


def run_asked(report: Report, dag_run: Any, period: Period, given: Mapping[str, Any]) -> Run:
    """Return Airflow's run with what was asked for; a param that was not given has its default."""
    default = {name: param.default for name, param in report.params.items()}
    params = {name: given.get(name, value) for name, value in default.items()}
    return Run(identity_of(dag_run), period, params, is_same(params, default))


def _run_decided(report: Report, context: Context) -> Run:
    """Return the run as `init` has decided it: what started it may have asked for more."""
    ti: Any = context["ti"]
    found = ti.xcom_pull(task_ids=INIT)
    if found is None:
        raise InputError(
            f"Run {ti.run_id}: init has not decided what it reports on; clear init with its "
            "downstream tasks."
        )
    period = report.schedule.period_asked_for(found["period"])
    return run_asked(report, context["dag_run"], period, found["params"])


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


def classes_of_failure(context: Context, task_id: str, dag_id: str, run_id: str) -> Sequence[str]:
    """Return the names of the classes of a failed task's error; none when it was killed."""
    ti: Any = context["ti"]
    found = ti.xcom_pull(dag_id=dag_id, run_id=run_id, task_ids=task_id, key=FAILURE_CLASSES)
    return tuple(found or ())


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


def _period(schedule: Schedule, asked: str | None, dag_run: Any) -> Period:
    """Return the period: the one asked for, else the one of the data interval, else the last.

    A data interval starts in the period it reports on. A run triggered by hand without a logical
    date has none and takes the last period that was complete when it was due.
    """
    if asked is not None:
        period = schedule.period_asked_for(asked, dag_run.run_after)
        if dag_run.run_type == BY_BACKFILL:
            _demand_own(schedule, period, dag_run)
        return period
    if dag_run.data_interval_start is not None:
        period = schedule.period_starting_at(dag_run.data_interval_start)
        schedule.demand_over(period, dag_run.run_after)
        return period
    return schedule.period_at(dag_run.run_after)


def _demand_own(schedule: Schedule, period: Period, dag_run: Any) -> None:
    """Refuse a period that a whole backfill was given: its runs would all make the same one."""
    own = schedule.period_starting_at(dag_run.data_interval_start)
    if period.key != own.key:
        raise InputError(
            f"Param 'period' is {period.key!r} in the run of a backfill for {own.key}; allowed: "
            f"nothing, because each run of a backfill has a {schedule.unit} of its own."
        )
