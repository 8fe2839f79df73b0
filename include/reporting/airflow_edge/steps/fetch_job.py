"""The two halves of fetching a job: ask for it, and stage its result."""

from __future__ import annotations

import logging
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from reporting.airflow_edge.callback_address import callback_address
from reporting.airflow_edge.connections import http_endpoint, staging_bucket, warehouse
from reporting.airflow_edge.holding import hold
from reporting.airflow_edge.requests import canceller
from reporting.airflow_edge.run_context import run_of
from reporting.airflow_edge.steps.stage import stage
from reporting.core.fetch.client import Client
from reporting.core.fetch.field_drift import field_drift
from reporting.core.fetch.limits import limits_from_now
from reporting.core.fetch.query_values import query_values
from reporting.core.intake import Intake
from reporting.core.service.asking import ask_for_job, end_request, record_due
from reporting.core.service.callback import Awaited
from reporting.core.service.job import look, read_result, request_body
from reporting.core.service.request_record import RequestRecord, RequestRecords
from reporting.core.service.watch import DONE, FAILED, LATE, REFUSED, STALLED
from reporting.errors import ReportError, TerminalError, TransientError

if TYPE_CHECKING:
    from airflow.sdk import Context

    from reporting.core.run import Run
    from reporting.core.staging import Attempt
    from reporting.definition.jobs import HttpJobSource
    from reporting.definition.report import Report

log = logging.getLogger(__name__)

WHY = {
    FAILED: "job {job} failed at the service: {reason}",
    STALLED: "job {job} made no progress for {stalled_after} and was cancelled",
    LATE: "job {job} had not ended after {time_limit} and was cancelled ({reason})",
    REFUSED: "job {job} was lost: {reason}",
}


@dataclass(frozen=True)
class Waiting:
    """What was asked for.

    Attributes:
        event: how the waiting ended, when one look was enough.
        watched: what the trigger goes on looking at.
    """

    event: dict[str, Any] | None
    watched: dict[str, Any]


def ask(source: HttpJobSource, report: Report, context: Context) -> Waiting:
    """Ask the service for the job, unless that was done before, and look at it once.

    Raises:
        ReportError: the service cannot be reached, or refuses.
    """
    run = run_of(report, context)
    with warehouse() as connection:
        hold(connection, report, run, context)
    records = RequestRecords(staging_bucket(), run.id)
    record = record_due(records, source.name, "http", source.conn_id, canceller(run.id))
    awaited = _awaited(source, run, record) if source.wait == "callback" else None
    with _client(source) as client:
        request = _request(source, run, awaited)
        record = ask_for_job(records, record, client, source, request)
        is_done = awaited is None and look(client, source.job, record.job).is_done
    event = {"outcome": DONE} if is_done else None
    return Waiting(event, _watched(source, record, awaited))


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
    run = run_of(report, context)
    records = RequestRecords(staging_bucket(), run.id)
    record = records.read(source.name)
    if record is None or record.ended:
        raise TransientError(f"Source {source.name!r}: its request is gone; it is asked again.")
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
    if outcome in (STALLED, LATE):
        canceller(records.run)(record)
    end_request(records, record, why)
    kind = TerminalError if outcome == REFUSED else TransientError
    return kind(f"Source {source.name!r}: {why}. Nothing was committed.")


def _client(source: HttpJobSource) -> Client:
    limits = limits_from_now(
        source.connect_timeout, source.read_timeout, source.time_limit, source.max_bytes
    )
    return Client(f"Source {source.name!r}", http_endpoint(source.conn_id), limits)


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
    sent = datetime.fromisoformat(record.sent_at)
    return {
        "where": f"Source {source.name!r}",
        "conn_id": source.conn_id,
        "job_id": record.job,
        "job": asdict(source.job),
        "patience": {
            "first_pause": source.first_pause.total_seconds(),
            "longest_pause": source.longest_pause.total_seconds(),
            "stalled_after": source.stalled_after.total_seconds(),
            "until": (sent + source.time_limit).timestamp(),
        },
        "timeouts": {"connect": source.connect_timeout, "read": source.read_timeout},
        "awaited": None if awaited is None else asdict(awaited),
    }
