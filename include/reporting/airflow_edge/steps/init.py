"""`init`: checks what was asked for and takes the claim, before any work."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from airflow.sdk.exceptions import AirflowSkipException

from reporting.airflow_edge.connections import warehouse
from reporting.airflow_edge.run_context import UNDER_WAY, given_params, is_run_in, run_of
from reporting.core.airflow_names import DUPLICATE_OF, OPTIONAL
from reporting.core.run import RunId
from reporting.core.warehouse.claim import take_claim, take_over_claim
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
        InputError: params are not allowed.
        AirflowSkipException: another run works on the same request; the XCom `duplicate_of`
            names it.
    """
    checked_params(report.params, given_params(context))
    run = run_of(report, context)
    ti: Any = context["ti"]
    with warehouse() as connection:
        ensure_schema(connection)
        remember_report(connection, report)
        holder = _claim(connection, run, ti)
        if holder != run.id.run_id:
            ti.xcom_push(key=DUPLICATE_OF, value=holder)
            raise AirflowSkipException(
                f"Run {holder} already works on {report.name}, period {run.period.key}, with the "
                "same params; see that run for the figures."
            )
        register_staging(connection, run, report.keep_staging)
    log.info("%s, period %s, params %s", report.title, run.period.key, dict(run.params))
    optional = [source.name for source in report.sources if not source.required]
    return {**run.to_json(), OPTIONAL: optional}


def _claim(connection: psycopg.Connection[Any], run: Run, ti: Any) -> str:
    """Take the claim, also from a holder that has ended without giving it up."""
    holder = take_claim(connection, run)
    if holder == run.id.run_id:
        return holder
    if is_run_in(ti, RunId(run.id.report, holder), UNDER_WAY):
        return holder
    log.warning("Run %s has ended and still holds the claim; taking it over.", holder)
    take_over_claim(connection, run, holder)
    return take_claim(connection, run)
