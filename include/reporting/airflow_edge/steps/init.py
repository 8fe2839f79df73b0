"""`init`: checks what was asked for and takes the claim, before any work."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, NoReturn

from airflow.sdk.exceptions import AirflowSkipException

from reporting.airflow_edge.connections import warehouse
from reporting.airflow_edge.event_start import asked_of, told_alone
from reporting.airflow_edge.event_wait import find_answering
from reporting.airflow_edge.holding import has_ended
from reporting.airflow_edge.known_pool import demand_pools
from reporting.airflow_edge.run_context import BY_EVENT, BY_HAND, given_params, run_asked, run_of
from reporting.core.airflow_names import DUPLICATE_OF, OPTIONAL, PUBLISHED_ALREADY
from reporting.core.already_published import AlreadyPublished
from reporting.core.warehouse.answer import find_answer, find_worker
from reporting.core.warehouse.relation import check_relation
from reporting.core.warehouse.reports import remember_report
from reporting.core.warehouse.runs import register_staging
from reporting.core.warehouse.schema import ensure_schema
from reporting.definition.params import REFRESH, checked_params

if TYPE_CHECKING:
    import psycopg
    from airflow.sdk import Context

    from reporting.core.event_shares import Told
    from reporting.core.run import Run
    from reporting.definition.report import Report

log = logging.getLogger(__name__)


def init(report: Report, context: Context) -> dict[str, Any]:
    """Take the claim for the run's period and params.

    Returns:
        The request: period, its bounds, params; and the optional sources.

    Raises:
        InputError: params are not allowed, or an event asks for what is not.
        TerminalError: Airflow has no such pool as a source names.
        ContractError: the warehouse keeps a table otherwise than declared.
        AirflowSkipException: another run works on the same request, or has published it before
            this run was triggered by hand; the XCom `duplicate_of` names it.
        AirflowRescheduleException: an event has started the run, and another run works on the same
            with data that may be older.
    """
    checked_params(report.run_params, given_params(context))
    demand_pools(report)
    with warehouse() as connection:
        ensure_schema(connection)
        remember_report(connection, report)
        for table in report.tables:
            check_relation(connection, report.name, table)
        run, told = _run(connection, report, context)
        _take_claim(connection, run, told, context)
        register_staging(connection, run, report.keep_staging)
    log.info("%s, period %s, params %s", report.title, run.period.key, dict(run.params))
    optional = [source.name for source in report.sources if not source.required]
    return {**run.to_json(), OPTIONAL: optional}


def _run(
    connection: psycopg.Connection[Any], report: Report, context: Context
) -> tuple[Run, Told | None]:
    """Return what was asked for, by whom or whatever started the run; and the events it answers."""
    dag_run: Any = context["dag_run"]
    if dag_run.run_type != BY_EVENT:
        told = told_alone(connection, report, context)
        if isinstance(told, str):
            _stand_back(context, told, "answers the event for which this run was started")
        return run_of(report, context), told
    share = asked_of(connection, report, context)
    if isinstance(share, str):
        _stand_back(context, share, "answers the event that has started this run")
    asked = share.asked
    return run_asked(report, dag_run, asked.period, asked.params), share.told


def _take_claim(
    connection: psycopg.Connection[Any], run: Run, told: Told | None, context: Context
) -> None:
    """Take the claim, or stand back for the run that does or has done the same."""
    answer = _answer(connection, run, told, context)
    same = f"{run.id.report}, period {run.period.key}, with the same params"
    if isinstance(answer, AlreadyPublished):
        context["ti"].xcom_push(key=PUBLISHED_ALREADY, value=answer.to_json())
        _point_to(context, answer.run_id, f"{same}: {answer.text}.")
    if answer is not None:
        _stand_back(context, answer, f"does the same: {same}")


def _answer(
    connection: psycopg.Connection[Any], run: Run, told: Told | None, context: Context
) -> str | AlreadyPublished | None:
    if told is not None:
        return find_answering(connection, run, told, context)
    find = find_worker if makes_new_version(run, context) else find_answer
    return find(connection, run, has_ended(run.id.report, context))


def makes_new_version(run: Run, context: Context) -> bool:
    """Say whether the run publishes whatever is published: only a trigger by hand may be a slip."""
    is_by_hand = context["dag_run"].run_type == BY_HAND
    is_cleared = run.id.clear_number > 0
    return is_cleared or not is_by_hand or bool(context["params"].get(REFRESH))


def _stand_back(context: Context, first: str, why: str) -> NoReturn:
    """End this run without doing anything, pointing to the one that came first."""
    _point_to(context, first, f"Run {first} {why}; see that run for the figures.")


def _point_to(context: Context, first: str, text: str) -> NoReturn:
    context["ti"].xcom_push(key=DUPLICATE_OF, value=first)
    raise AirflowSkipException(text)
