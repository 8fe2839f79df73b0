"""Decides whether a failed run is run again as a whole, as its report's `retry_run` says (R14).

`compensate` decides, and the janitor where it could not. Each decision is kept in the warehouse
before anything is told, so a failure is either run again or told.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from reporting.airflow_edge.alarm import about
from reporting.airflow_edge.run_context import classes_of_failure
from reporting.core.airflow_names import OPTIONAL
from reporting.core.run_retry import (
    JANITOR_AWAY,
    OUT_OF_TIME,
    TOLD,
    FailedLife,
    Plan,
    Policy,
    causes_of,
    plan_of,
)
from reporting.core.states import COMPENSATE, INIT
from reporting.core.warehouse.receipts import was_sent
from reporting.core.warehouse.reports import known_policy
from reporting.core.warehouse.run_retries import decide, find_plan, goes_before, is_janitor_away

if TYPE_CHECKING:
    from datetime import datetime

    import psycopg
    from airflow.sdk import Context

    from reporting.core.run import RunId
    from reporting.core.states import TaskStates

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class EndedRun:
    """A run that has failed.

    Attributes:
        id: which run, in the life that failed.
        states: state of every task.
        ended_at: when it failed.
        against: what speaks against running it again, if that is known already.
    """

    id: RunId
    states: TaskStates
    ended_at: datetime
    against: str | None = None


def plan_made(
    connection: psycopg.Connection[Any], context: Context, policy: Policy, run: EndedRun
) -> Plan:
    """Decide about a failed life of a run, unless that was done; return what was decided.

    Args:
        connection: to the warehouse.
        context: of the task that decides.
        policy: of the run's report.
        run: what has failed.
    """
    against = run.against
    if against is None and is_janitor_away(connection):
        against = JANITOR_AWAY
    return _decided(connection, context, policy, replace(run, against=against))


def plan_left(connection: psycopg.Connection[Any], context: Context, run: EndedRun) -> Plan | None:
    """Return what was decided about a failed life, by the janitor where no task of it could.

    Returns:
        The plan, or None when its report never runs a run again.
    """
    found = find_plan(connection, run.id)
    policy = known_policy(connection, run.id.report)
    if found is not None or policy is None:
        return found
    return _decided(connection, context, policy, replace(run, against=_against(connection, run)))


def _decided(
    connection: psycopg.Connection[Any], context: Context, policy: Policy, run: EndedRun
) -> Plan:
    life = FailedLife(_causes(context, run), goes_before(connection, run.id), run.against)
    plan = decide(connection, run.id, plan_of(policy, life, run.ended_at))
    log.info("Run again: %s.", plan.text)
    return plan


def _against(connection: psycopg.Connection[Any], run: EndedRun) -> str | None:
    if run.against is None and was_sent(connection, about(run.id)):
        return TOLD
    # Airflow does not start `compensate` of a run that it, or a person, has ended.
    has_ended_itself = run.states.get(COMPENSATE) in ("success", "failed")
    return run.against or (None if has_ended_itself else OUT_OF_TIME)


def _causes(context: Context, run: EndedRun) -> dict[str, Sequence[str]]:
    ti: Any = context["ti"]
    report, run_id = run.id.report, run.id.run_id
    request = ti.xcom_pull(dag_id=report, run_id=run_id, task_ids=INIT) or {}
    return {
        task: classes_of_failure(context, task, report, run_id)
        for task in causes_of(run.states, request.get(OPTIONAL, ()))
    }
