"""The alarm of a failed run: told once per channel and life of the run, by whoever comes first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reporting.airflow_edge.channels import alert_messages, center_url, run_url
from reporting.airflow_edge.marks import find_who_ended
from reporting.airflow_edge.run_context import failure_of
from reporting.core.airflow_names import OPTIONAL
from reporting.core.alert_text import Failure
from reporting.core.states import INIT, failed_step
from reporting.core.warehouse.receipts import send_once

if TYPE_CHECKING:
    import psycopg
    from airflow.sdk import Context

    from reporting.core.run import RunId
    from reporting.core.states import TaskStates
    from reporting.core.sweep import Sweep
    from reporting.core.warehouse.ledger import Entry
    from reporting.definition.delivery import Alert


@dataclass(frozen=True)
class Alarm:
    """What is known of a failed run.

    Attributes:
        title: what people call the report.
        run: which run.
        period: period key in words.
        states: state of every task.
        undone: ledger entries.
        published: whether figures were published before it failed.
        again: how often it was run again, in words; None where that is never done.
        otherwise: why it failed, when no task has left a reason.
    """

    title: str
    run: RunId
    period: str
    states: TaskStates
    undone: Sequence[Entry]
    published: bool = False
    again: str | None = None
    otherwise: str | None = None


def about(run: RunId) -> str:
    """Return what makes an alarm unique: one per life of the run."""
    return f"failed {run.report} {run.run_id} #{run.clear_number} {run.started}"


def raise_alarm(
    connection: psycopg.Connection[Any],
    context: Context,
    alerts: Sequence[Alert],
    alarm: Alarm,
    sweep: Sweep | None = None,
) -> dict[str, str]:
    """Send what was not sent yet; return the channels that failed, with the reason.

    Args:
        connection: the warehouse.
        context: of the task that tells.
        alerts: whom to tell, and how.
        alarm: what is known of the run.
        sweep: remembers the channels that do not answer, when more alarms are raised after this.
    """
    failure = _in_words(context, alarm)
    texts = (about(alarm.run), failure.subject, failure.text)
    unsent = {}
    for message in alert_messages(alerts, *texts, sweep):
        if reason := send_once(connection, message):
            unsent[f"{message.channel} to {message.recipient}"] = reason
    return unsent


def _in_words(context: Context, alarm: Alarm) -> Failure:
    run = alarm.run
    ti: Any = context["ti"]
    request = ti.xcom_pull(dag_id=run.report, run_id=run.run_id, task_ids=INIT) or {}
    step = failed_step(alarm.states, request.get(OPTIONAL, ()))
    left = failure_of(context, step, run.report, run.run_id) if step else None
    reason = left or alarm.otherwise
    return Failure(
        title=alarm.title,
        report=run.report,
        period=alarm.period,
        run_id=run.run_id,
        step=step,
        reason=reason,
        undone=alarm.undone,
        published=alarm.published,
        url=run_url(run.report, run.run_id),
        states=alarm.states,
        again=alarm.again,
        ended_by=None if reason else find_who_ended(run, step),
        center_url=center_url(run.report, run.run_id),
        more_failed=sorted(
            task for task, state in alarm.states.items() if state == "failed" and task != step
        ),
    )
