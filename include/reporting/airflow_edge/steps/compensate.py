"""`compensate`: when the run can no longer publish, undoes what it made and raises the alarm."""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from airflow.sdk.exceptions import AirflowSkipException

from reporting.airflow_edge.alarm import Alarm, raise_alarm
from reporting.airflow_edge.places import places
from reporting.airflow_edge.run_context import identity_of, run_of, task_states
from reporting.airflow_edge.run_plan import EndedRun, plan_made
from reporting.airflow_edge.still_wanted import demand_wanted, is_wanted
from reporting.core.airflow_names import RUN_AGAIN
from reporting.core.run_retry import LEFT, PUBLISHED
from reporting.core.saga import cancel_unused, clear_up
from reporting.core.saga import compensate as undo
from reporting.core.states import STORE, is_duplicate
from reporting.core.warehouse.fence import is_published
from reporting.core.warehouse.ledger import left_of
from reporting.core.warehouse.reports import policy_of
from reporting.core.warehouse.schema import ensure_schema
from reporting.definition.jobs import HttpJobSource
from reporting.definition.messages import MessageSource
from reporting.errors import InputError, TransientError

if TYPE_CHECKING:
    import psycopg
    from airflow.sdk import Context

    from reporting.core.run import RunId
    from reporting.core.run_retry import Plan
    from reporting.definition.report import Report

log = logging.getLogger(__name__)


def compensate(report: Report, context: Context) -> dict[str, Any]:
    """Undo the run and send one alert per channel, unless the run is to be run again.

    Returns:
        What was undone, per step.

    Raises:
        AirflowSkipException: the run has published, or was a duplicate: nothing to undo.
        TransientError: an undo or an alert failed; both are tried again.
    """
    states = task_states(context)
    if states.get(STORE) == "success":
        # Marked so by hand it has published nothing; then deliver fails, and the janitor undoes.
        _cancel_unused(report, context)
    if states.get(STORE) == "success" or is_duplicate(states):
        raise AirflowSkipException("Nothing to undo.")
    run, period = _identity(report, context)
    still_wanted = partial(is_wanted, context)
    with places() as at:
        ensure_schema(at.warehouse)
        # A store that was killed after its commit has failed, yet its figures are out and stay.
        published = is_published(at.warehouse, run, states)
        if published:
            clear_up(at, run, still_wanted)
        entries = [] if published else undo(at, run, still_wanted)
        for entry in entries:
            log.info("Undo %s: %s", entry.step, entry.outcome)
        demand_wanted(context, "what the run makes now is not undone, and nobody is told")
        left = left_of(entries)
        unsent = {}
        if not left or _is_last_try(context):
            against = PUBLISHED if published else LEFT if left else None
            plan = _plan(at.warehouse, report, context, run, against)
            # A failure that is run again is left to the janitor to tell, if it comes to that.
            if plan is None or plan.given_up is not None:
                again = None if plan is None else plan.text
                alarm = Alarm(report.title, run, period, states, entries, published, again)
                unsent = raise_alarm(at.warehouse, context, report.alerts, alarm)
    if left or unsent:
        listed = [*left, *(f"alert by {who}: {why}" for who, why in unsent.items())]
        raise TransientError("; ".join(listed))
    return {entry.step: entry.outcome for entry in entries}


def _plan(
    connection: psycopg.Connection[Any],
    report: Report,
    context: Context,
    run: RunId,
    against: str | None,
) -> Plan | None:
    """Decide whether the run is run again; None when its report never does so."""
    policy = policy_of(report)
    if policy is None:
        return None
    ti: Any = context["ti"]
    ended = EndedRun(run, task_states(context), datetime.now(UTC), against)
    plan = plan_made(connection, context, policy, ended)
    ti.xcom_push(key=RUN_AGAIN, value=plan.text)
    return plan


def _cancel_unused(report: Report, context: Context) -> None:
    """Cancel what optional sources have asked and the figures do without."""
    later = (HttpJobSource, MessageSource)
    if any(isinstance(source, later) and not source.required for source in report.sources):
        with places() as at:
            entry = cancel_unused(at, run_of(report, context).id)
        log.info("Undo %s: %s", entry.step, entry.outcome)


def _identity(report: Report, context: Context) -> tuple[RunId, str]:
    try:
        run = run_of(report, context)
    except InputError:  # a period that is none: init has refused it
        dag_run: Any = context["dag_run"]
        asked = str((dag_run.conf or {}).get("period", "unknown"))
        return identity_of(dag_run), asked
    return run.id, run.period.key


def _is_last_try(context: Context) -> bool:
    ti: Any = context["ti"]
    return bool(ti.try_number > ti.max_tries)
