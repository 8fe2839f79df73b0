"""Builds the DAG of a report: the task graph of every report, filled by its definition."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from airflow.sdk import DAG, CronDataIntervalTimetable, Param, TriggerRule, get_parsing_context

from reporting.airflow_edge.await_sources import AwaitSourcesOperator
from reporting.airflow_edge.event_asset import schedule_of
from reporting.airflow_edge.later_operator import LaterOperator
from reporting.airflow_edge.report_text import report_text
from reporting.airflow_edge.retry import retry_arguments
from reporting.airflow_edge.step_operator import StepOperator
from reporting.core.airflow_names import TAG
from reporting.definition.description import description_of
from reporting.definition.drops import S3Source
from reporting.definition.jobs import HttpJobSource
from reporting.definition.messages import MessageSource

if TYPE_CHECKING:
    from airflow.sdk import Context

    from reporting.definition.params import Param as ReportParam
    from reporting.definition.report import Report
    from reporting.definition.schedule import Schedule

MAX_ACTIVE_RUNS = 16


def build_dag(report: Report) -> DAG | None:
    """Return the DAG of `report`; None on a worker that runs another DAG's task."""
    wanted = get_parsing_context().dag_id
    if wanted not in (None, report.name):
        return None
    dag = _empty_dag(report)
    with dag:
        _add_tasks(report)
    return dag


def _empty_dag(report: Report) -> DAG:
    schedule = report.schedule
    start = schedule.period_of_day(schedule.start).start
    return DAG(
        report.name,
        dag_display_name=report.title,
        description=report.title,
        doc_md=report_text(report),
        schedule=schedule_of(report, _timetable(schedule)),
        start_date=start.astimezone(ZoneInfo(schedule.timezone)),
        catchup=schedule.catchup,
        params={name: _airflow_param(param) for name, param in report.run_params.items()},
        tags={TAG, *report.tags},
        default_args={"owner": report.owner, **retry_arguments(report.retry)},
        dagrun_timeout=report.run_limit,
        max_active_runs=MAX_ACTIVE_RUNS,
    )


def _timetable(schedule: Schedule) -> Any:
    if schedule.end is None:
        return CronDataIntervalTimetable(schedule.cron, timezone=schedule.timezone)
    from reporting.airflow_edge.timetable import EndingTimetable

    return EndingTimetable(
        schedule.cron, schedule.timezone, schedule.period_of_day(schedule.end).end
    )


def _airflow_param(param: ReportParam) -> Param:
    return Param(param.default, **param.schema)


def _add_tasks(report: Report) -> None:
    # For readers of the DAG who have not its file: the report center.
    init = _step(report, "init", doc_json=json.dumps(description_of(report)))
    fetches = [_fetch(report, source.name) for source in report.sources]
    wait = AwaitSourcesOperator(task_id="await_sources", report=report)
    compute, store, deliver = (_step(report, name) for name in ("compute", "store", "deliver"))
    compensate = _step(report, "compensate", trigger_rule=TriggerRule.ALL_DONE)
    init >> fetches >> wait >> compute >> store >> deliver
    # When init fails, one_done skips wait; this arrow keeps that from making the run green.
    init >> compute
    # Not a teardown and not above deliver, so that the run's state is deliver's (see design.md).
    [init, *fetches, wait, compute, store] >> compensate


def _step(report: Report, name: str, **more: Any) -> StepOperator:
    return StepOperator(
        task_id=name,
        report=report,
        step=partial(_run_step, name),
        execution_timeout=report.step_limit,
        **more,
    )


def _run_step(name: str, report: Report, context: Context) -> Any:
    """Import a step only when it runs, so that parsing a DAG file stays cheap."""
    from importlib import import_module

    return getattr(import_module(f"reporting.airflow_edge.steps.{name}"), name)(report, context)


def _fetch(report: Report, name: str) -> StepOperator:
    source = report.source(name)
    if isinstance(source, HttpJobSource):
        return LaterOperator(report=report, source=source, steps="fetch_job")
    if isinstance(source, MessageSource):
        return LaterOperator(report=report, source=source, steps="fetch_messages")
    if isinstance(source, S3Source):
        return LaterOperator(report=report, source=source, steps="fetch_drop")
    return StepOperator(
        task_id=source.task_id,
        report=report,
        step=partial(_run_fetch, name),
        execution_timeout=source.time_limit,
        pool=source.pool,
    )


def _run_fetch(name: str, report: Report, context: Context) -> Any:
    from reporting.airflow_edge.steps.fetch import fetch

    return fetch(report.source(name), report, context)
