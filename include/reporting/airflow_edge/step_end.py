"""Tells how a step has ended: metrics to Airflow, notices to chat. The step never notices."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from airflow.sdk.exceptions import (
    AirflowRescheduleException,
    AirflowSkipException,
    TaskDeferred,
)

from reporting.core.notices import Door, Tally
from reporting.core.states import STORE
from reporting.core.step_end import Metric, Published, StepEnd, dropped_metrics

if TYPE_CHECKING:
    from airflow.sdk import Context

    from reporting.definition.report import Report

log = logging.getLogger(__name__)
# All that a step may lose by telling; metrics get what the notices leave, but some of it.
LONGEST_SECONDS, FOR_METRICS = 1.0, 0.2


@dataclass
class Ending:
    """What is known of a step once it has ended.

    Attributes:
        result: what it returned.
    """

    result: Mapping[str, Any] = field(default_factory=dict)


@contextmanager
def end_told(report: Report, context: Context) -> Iterator[Ending]:
    """Tell of the end of the step in the block; one that goes on later has not ended."""
    ending = Ending()
    try:
        yield ending
    except (TaskDeferred, AirflowRescheduleException):
        raise
    except AirflowSkipException:
        _tell(report, context, ending, "skipped")
        raise
    except BaseException:
        _tell(report, context, ending, "failed")
        raise
    _tell(report, context, ending, "success")


def _tell(report: Report, context: Context, ending: Ending, outcome: str) -> None:
    """Tell within a second; what a signal raises meanwhile is the step's, all else is not."""
    try:
        step = _step_end(report, context, ending, outcome)
        deadline = time.monotonic() + LONGEST_SECONDS
        metrics = Door[Metric](emit)
        for metric in step.metrics():
            metrics.tell(metric)
        told = _post_all(_notices(report, context, step), deadline - FOR_METRICS)
        for metric in dropped_metrics(report.name, step.step, told.dropped):
            metrics.tell(metric)
        _say(told, metrics.close(_until(deadline)))
    except Exception:  # telling is never worth a step
        log.warning("The end of the step was not told.", exc_info=True)


def _post_all(notices: Mapping[str, str], deadline: float) -> Tally:
    """Post each notice; a channel that hangs holds up no other."""
    doors = []
    for conn_id, text in notices.items():
        doors.append(Door[str](partial(_post, conn_id)))
        doors[-1].tell(text)
    return sum((door.close(_until(deadline)) for door in doors), Tally(0, {}))


def _until(deadline: float) -> float:
    return max(0.0, deadline - time.monotonic())


def _say(notices: Tally, metrics: Tally) -> None:
    level = logging.WARNING if notices.dropped or metrics.dropped else logging.INFO
    log.log(level, "Notices: %s. Metrics: %s.", notices, metrics)


def _step_end(report: Report, context: Context, ending: Ending, outcome: str) -> StepEnd:
    ti: Any = context["ti"]
    lasted = datetime.now(UTC) - ti.start_date
    return StepEnd(report.name, ti.task_id, outcome, lasted, ti.try_number, ending.result)


def _notices(report: Report, context: Context, step: StepEnd) -> dict[str, str]:
    """Return the text per connection; the step that publishes has something to say."""
    if not report.notices or (step.step, step.outcome) != (STORE, "success"):
        return {}
    from reporting.airflow_edge.channels import run_url

    dag_run: Any = context["dag_run"]
    started = dag_run.start_date or dag_run.run_after
    published = Published(
        report.title,
        report.name,
        step.result["period"],
        step.result["version"],
        step.result["rows"],
        datetime.now(UTC) - started,
        run_url(report.name, dag_run.run_id),
    )
    return {notice.conn_id: published.text for notice in report.notices}


def _post(conn_id: str, text: str) -> None:
    from reporting.airflow_edge.channels import send_slack

    send_slack(conn_id, text)


def emit(metric: Metric) -> None:
    """Hand a metric to Airflow; it may take its time."""
    from airflow.sdk.observability import stats

    tags = dict(metric.tags)
    match metric.kind:
        case "timing":
            stats.timing(metric.name, metric.value, tags=tags)
        case "count":
            stats.incr(metric.name, int(metric.value), tags=tags)
        case "gauge":
            stats.gauge(metric.name, metric.value, tags=tags)
