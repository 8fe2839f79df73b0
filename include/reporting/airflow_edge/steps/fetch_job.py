"""The two halves of fetching a job: ask for it, and stage its result."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from reporting.airflow_edge.callback_address import callback_address
from reporting.airflow_edge.connections import http_endpoint
from reporting.airflow_edge.job_trigger import JobTrigger
from reporting.airflow_edge.requests import canceller
from reporting.airflow_edge.steps.asking import patience, request_due, request_under_way
from reporting.airflow_edge.steps.stage import stage
from reporting.core.fetch.client import Client
from reporting.core.fetch.field_drift import field_drift
from reporting.core.fetch.limits import limits_of
from reporting.core.fetch.query_values import query_values
from reporting.core.intake import Intake
from reporting.core.service.asking import ask_for_job, end_request
from reporting.core.service.callback import Awaited
from reporting.core.service.job import look, read_result
from reporting.core.service.request_body import request_body
from reporting.core.service.watch import DONE, FAILED, LATE, REFUSED, STALLED
from reporting.errors import ReportError, TerminalError, TransientError

if TYPE_CHECKING:
    from airflow.sdk import Context

    from reporting.core.run import Run
    from reporting.core.service.request_record import RequestRecord, RequestRecords
    from reporting.core.staging import Attempt
    from reporting.definition.jobs import HttpJobSource
    from reporting.definition.report import Report

WHY = {
    FAILED: "job {job} failed at the service: {reason}",
    STALLED: "job {job} made no progress for {stalled_after} and was cancelled",
    LATE: "job {job} had not ended after {time_limit} and was cancelled ({reason})",
    REFUSED: "job {job} was lost: {reason}",
}


def ask(source: HttpJobSource, report: Report, context: Context) -> dict[str, Any] | JobTrigger:
    """Ask the service for the job, unless that was done before, and look at it once.

    Returns:
        Counts when it was done already, else what to wait for.

    Raises:
        ReportError: the service cannot be reached, or refuses.
    """
    run, records, record = request_due(source, "http", report, context)
    awaited = _awaited(source, run, record) if source.wait == "callback" else None
    with _client(source) as client:
        request = _request(source, run, awaited)
        record = ask_for_job(records, record, client, source, request)
        is_done = awaited is None and look(client, source.job, record.job).is_done
    if is_done:
        return collect(source, report, context, {"outcome": DONE})
    return JobTrigger(_watched(source, record, awaited))


def collect(
    source: HttpJobSource, report: Report, context: Context, event: dict[str, Any]
) -> dict[str, Any]:
    """Stage the result of a job that is done; else end the request and say why.

    Returns:
        Counts only, as every fetch.

    Raises:
        TransientError: the job failed, stalls, or is late; another one is worth a try.
        TerminalError: the service refuses.
    """
    records, record = request_under_way(source, report, context)
    if event.get("outcome") != DONE:
        raise _given_up(source, records, record, event)
    counts = stage(source, report, context, partial(_read, source, record))
    end_request(records, record, "collected")
    return counts


def _read(
    source: HttpJobSource, record: RequestRecord, _run: Run, attempt: Attempt
) -> dict[str, Any]:
    with _client(source) as client:
        fields = read_result(client, source, record.job, Intake(source, attempt))
    return {"job": record.job, **field_drift(source, fields)}


def _given_up(
    source: HttpJobSource, records: RequestRecords, record: RequestRecord, event: dict[str, Any]
) -> ReportError:
    """End the request, cancel what still runs, and return the error that this is."""
    outcome = event.get("outcome", LATE)
    why = WHY[outcome].format(
        job=record.job,
        reason=event.get("reason") or "no answer came",
        stalled_after=source.stalled_after,
        time_limit=source.time_limit,
    )
    if outcome != FAILED:
        canceller(records.run)(record)
    end_request(records, record, why)
    kind = TerminalError if outcome == REFUSED else TransientError
    return kind(f"Source {source.name!r}: {why}. Nothing was committed.")


def _client(source: HttpJobSource) -> Client:
    endpoint = http_endpoint(source.conn_id)
    return Client(f"Source {source.name!r}", endpoint, limits_of(source))


def _awaited(source: HttpJobSource, run: Run, record: RequestRecord) -> Awaited:
    until = datetime.fromisoformat(record.sent_at) + source.time_limit
    key = record.key(run.id.task_key)
    return Awaited(run.id.report, run.id.run_id, source.name, key, until.isoformat())


def _request(source: HttpJobSource, run: Run, awaited: Awaited | None) -> dict[str, Any]:
    request = request_body(source.request, query_values(run))
    if awaited is not None:
        request[source.callback_field] = callback_address(awaited)
    return request


def _watched(
    source: HttpJobSource, record: RequestRecord, awaited: Awaited | None
) -> dict[str, Any]:
    return {
        "where": f"Source {source.name!r}",
        "conn_id": source.conn_id,
        "job_id": record.job,
        "job": asdict(source.job),
        "patience": patience(source, record, source.first_pause),
        "timeouts": {"connect": source.connect_timeout, "read": source.read_timeout},
        "awaited": None if awaited is None else asdict(awaited),
    }
