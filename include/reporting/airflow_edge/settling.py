"""What follows once a failed run is undone: it is run again, or somebody is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from reporting.airflow_edge.alarm import Alarm, raise_alarm
from reporting.airflow_edge.connections import airflow_api
from reporting.airflow_edge.failed_runs import FailedRun, is_still_failed
from reporting.airflow_edge.run_again import is_run_again
from reporting.airflow_edge.run_plan import EndedRun, plan_left
from reporting.core.alert_text import UNREADABLE
from reporting.core.run_retry import LEFT, PATIENCE, PUBLISHED
from reporting.core.warehouse.reports import alerts_of
from reporting.core.warehouse.run_retries import find_plan, give_up, period_of
from reporting.errors import TransientError

if TYPE_CHECKING:
    import psycopg
    from airflow.sdk import Context

    from reporting.core.sweep import Sweep
    from reporting.core.warehouse.ledger import Entry
    from reporting.definition.delivery import Alert


@dataclass(frozen=True)
class Undone:
    """What became of a failed run: nothing is undone of one whose figures are out.

    Attributes:
        published: whether they are out.
        entries: ledger entries.
        left: what could not be undone yet, and why.
    """

    published: bool
    entries: Sequence[Entry]
    left: Sequence[str] = ()


def is_to_be_told(
    warehouse: psycopg.Connection[Any], context: Context, run: FailedRun, outcome: Undone
) -> bool:
    """Run a failed run again if its report says so and it is due; say whether to tell of it now.

    Of a run that is not undone it is told after an hour, and it is not run again.

    Args:
        warehouse: autocommit connection.
        context: of the janitor's task.
        run: what has failed.
        outcome: what became of it.

    Raises:
        TransientError: Airflow does not clear the run.
    """
    if outcome.left:
        is_late = datetime.now(UTC) > run.ended_at + PATIENCE
        if is_late:
            give_up(warehouse, run.id, LEFT)
        return is_late
    against = PUBLISHED if outcome.published else None
    plan = plan_left(warehouse, context, EndedRun(run.id, run.states, run.ended_at, against))
    if plan is None or plan.given_up is not None:
        return True
    still = partial(is_still_failed, context, run.id)
    return not is_run_again(warehouse, airflow_api(), run.id, still)


def announce(
    warehouse: psycopg.Connection[Any],
    context: Context,
    alerts: Sequence[Alert],
    alarm: Alarm,
    sweep: Sweep,
) -> None:
    """Tell of a failed run whom its report names.

    Args:
        warehouse: autocommit connection.
        context: of the janitor's task.
        alerts: where to write when the report's own alerts are not known.
        alarm: what is known of the run.
        sweep: remembers the channels that do not answer.

    Raises:
        TransientError: an alert was not sent.
    """
    known = alerts_of(warehouse, alarm.run.report)
    unsent = raise_alarm(warehouse, context, alerts if known is None else known, alarm, sweep)
    if unsent:
        raise TransientError("; ".join(f"alert by {who}: {why}" for who, why in unsent.items()))


def alarm_of(warehouse: psycopg.Connection[Any], run: FailedRun, outcome: Undone) -> Alarm:
    """Return what is known of a failed run and of what became of it."""
    plan = find_plan(warehouse, run.id)
    return Alarm(
        title=run.title,
        run=run.id,
        period=period_of(warehouse, run.id) or run.asked_period or "unknown",
        states=run.states,
        undone=outcome.entries,
        published=outcome.published,
        again=None if plan is None else plan.text,
        otherwise=UNREADABLE if run.is_unreadable else None,
    )
