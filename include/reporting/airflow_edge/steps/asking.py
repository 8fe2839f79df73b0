"""What both ways of asking a service do around it: the record, the patience, the giving up."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING

from reporting.airflow_edge.connections import staging_bucket, warehouse
from reporting.airflow_edge.holding import hold
from reporting.airflow_edge.requests import canceller
from reporting.airflow_edge.run_context import run_of
from reporting.airflow_edge.still_wanted import demand_wanted
from reporting.core.service.asking import record_due
from reporting.core.service.request_record import RequestRecord, RequestRecords
from reporting.core.service.watch import Patience
from reporting.errors import TransientError

if TYPE_CHECKING:
    from datetime import timedelta

    from airflow.sdk import Context

    from reporting.core.run import Run
    from reporting.definition.jobs import HttpJobSource
    from reporting.definition.messages import MessageSource
    from reporting.definition.report import Report

    Later = HttpJobSource | MessageSource


def request_due(
    source: Later, way: str, report: Report, context: Context
) -> tuple[Run, RequestRecords, RequestRecord]:
    """Hold the claim and return the record to ask by, with the run and all its records.

    Raises:
        ReportError: another run works on the same request, or what an earlier life of this one
            asked for cannot be cancelled; or the task is no longer wanted.
    """
    run = run_of(report, context)
    with warehouse() as connection:
        hold(connection, report, run, context)
    records = RequestRecords(staging_bucket(), run.id)
    record = record_due(records, source.name, way, source.conn_id, canceller(run.id))
    # The record is there by now. Whoever ends the task after this look finds it and cancels; after
    # an earlier end nobody may look any more, so nothing is sent.
    demand_wanted(context, f"nothing was asked of {source.name}")
    return run, records, record


def request_under_way(
    source: Later, report: Report, context: Context
) -> tuple[RequestRecords, RequestRecord]:
    """Return the record by which was asked, with all records of the run.

    Raises:
        TransientError: there is none any more.
    """
    records = RequestRecords(staging_bucket(), run_of(report, context).id)
    record = records.read(source.name)
    if record is None or record.ended:
        raise TransientError(f"Source {source.name!r}: its request is gone; it is asked again.")
    return records, record


def patience(source: Later, record: RequestRecord, first_pause: timedelta) -> dict[str, float]:
    """Return the fields of the `Patience` with which an answer is waited for."""
    until = datetime.fromisoformat(record.sent_at) + source.time_limit
    return asdict(
        Patience(
            first_pause.total_seconds(),
            source.longest_pause.total_seconds(),
            source.stalled_after.total_seconds(),
            until.timestamp(),
        )
    )
