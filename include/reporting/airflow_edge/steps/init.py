"""`init`: checks what was asked for and takes the claim, before any work."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, NoReturn

from airflow.sdk.exceptions import AirflowSkipException

from reporting.airflow_edge.connections import warehouse
from reporting.airflow_edge.event_start import asked_of, first_to_answer
from reporting.airflow_edge.holding import has_ended
from reporting.airflow_edge.run_context import BY_EVENT, given_params, run_asked, run_of
from reporting.core.airflow_names import DUPLICATE_OF, OPTIONAL
from reporting.core.warehouse.claim import claim_holder, release_claims
from reporting.core.warehouse.release import published_since
from reporting.core.warehouse.reports import remember_report
from reporting.core.warehouse.runs import register_staging
from reporting.core.warehouse.schema import ensure_schema
from reporting.definition.params import checked_params

if TYPE_CHECKING:
    import psycopg
    from airflow.sdk import Context

    from reporting.core.run import Run
    from reporting.definition.report import Report

log = logging.getLogger(__name__)


def init(report: Report, context: Context) -> dict[str, Any]:
    """Take the claim for the run's period and params.

    Returns:
        The request: period, its bounds, params; and the optional sources.

    Raises:
        InputError: params are not allowed, or an event asks for what is not.
        AirflowSkipException: another run works on the same request; the XCom `duplicate_of`
            names it.
    """
    checked_params(report.run_params, given_params(context))
    with warehouse() as connection:
        ensure_schema(connection)
        remember_report(connection, report)
        run = _run(connection, report, context)
        if first := _first_run(connection, run, context):
            _stand_back(
                context,
                first,
                f"does the same: {report.name}, period {run.period.key}, with the same params",
            )
        register_staging(connection, run, report.keep_staging)
    log.info("%s, period %s, params %s", report.title, run.period.key, dict(run.params))
    optional = [source.name for source in report.sources if not source.required]
    return {**run.to_json(), OPTIONAL: optional}


def _run(connection: psycopg.Connection[Any], report: Report, context: Context) -> Run:
    """Return what was asked for, by whom or whatever started the run."""
    dag_run: Any = context["dag_run"]
    if dag_run.run_type != BY_EVENT:
        first = first_to_answer(connection, report, context)
        if first not in (None, dag_run.run_id):
            _stand_back(context, str(first), "answers the event for which this run was started")
        return run_of(report, context)
    asked = asked_of(connection, report, context)
    if isinstance(asked, str):
        _stand_back(context, asked, "answers the event that has started this run")
    return run_asked(report, dag_run, asked.period, asked.params)


def _stand_back(context: Context, first: str, why: str) -> NoReturn:
    """End this run without doing anything, pointing to the one that came first."""
    ti: Any = context["ti"]
    ti.xcom_push(key=DUPLICATE_OF, value=first)
    raise AirflowSkipException(f"Run {first} {why}; see that run for the figures.")


def _first_run(connection: psycopg.Connection[Any], run: Run, context: Context) -> str | None:
    """Take the claim; return the run that does, or has just done, the same, if there is one."""
    # In one transaction: nobody may be pointed to a run that has the claim for an instant only.
    with connection.transaction():
        holder = claim_holder(connection, run, has_ended(run.id.report, context))
        if holder != run.id.run_id:
            return holder
        dag_run = context["dag_run"]
        if dag_run.run_type != "manual" or run.id.clear_number:
            return None
        # Asked for before that release was published, so it answers this request too.
        first = published_since(connection, run, dag_run.run_after)
        if first is not None:
            release_claims(connection, run.id)
        return first
