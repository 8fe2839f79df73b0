"""Fetching by messages: ask, take what has come, and stage it once all of it has."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from reporting.airflow_edge.connections import (
    broker,
    reference_bucket,
    staging_bucket,
    warehouse,
)
from reporting.airflow_edge.holding import hold
from reporting.airflow_edge.requests import canceller
from reporting.airflow_edge.run_context import run_of
from reporting.airflow_edge.steps.stage import stage
from reporting.core.fetch.field_drift import field_drift
from reporting.core.fetch.query_values import query_values
from reporting.core.intake import Intake
from reporting.core.service.asking import end_request, record_due
from reporting.core.service.broker import count_replies, forget_replies, send_request
from reporting.core.service.inbox import Inbox
from reporting.core.service.job import request_body
from reporting.core.service.receiving import Received, receive, take_parts
from reporting.core.service.request_record import RequestRecord, RequestRecords
from reporting.core.service.watch import LATE, STALLED
from reporting.errors import ReportError, TransientError
from reporting.messages import Request

if TYPE_CHECKING:
    from airflow.sdk import Context

    from reporting.core.run import Run
    from reporting.core.staging import Attempt
    from reporting.definition.messages import MessageSource
    from reporting.definition.report import Report

GONE = "gone"
WHY = {
    STALLED: "the service on queue {queue!r} sent nothing for {stalled_after}",
    LATE: "the answer had not ended after {time_limit}",
    GONE: "its reply queue is gone",
}
FIRST_PAUSE = 0.2


@dataclass(frozen=True)
class Waiting:
    """What the trigger is to look at.

    Attributes:
        conn_id: Airflow connection of the broker.
        key: of the request.
        patience: fields of `Patience`.
    """

    conn_id: str
    key: str
    patience: dict[str, float]


def ask(source: MessageSource, report: Report, context: Context) -> Waiting:
    """Send the request, unless that was done before.

    Raises:
        TransientError: the broker cannot be reached, or nobody takes such requests.
    """
    run = run_of(report, context)
    with warehouse() as connection:
        hold(connection, report, run, context)
    records = RequestRecords(staging_bucket(), run.id)
    record = record_due(records, source.name, "message", source.conn_id, canceller(run.id))
    key = record.key(run.id.task_key)
    with broker(source.conn_id).channel() as channel:
        if not record.job:
            records.write(replace(record, cancel=key))
            send_request(channel, source.queue, _request(source, run, key), source.time_limit)
            records.write(replace(record, cancel=key, job=key))
    return _waiting(source, record, key)


def collect(
    source: MessageSource, report: Report, context: Context, event: dict[str, Any]
) -> dict[str, Any] | Waiting:
    """Take what has come; stage it when that is all, else go on waiting.

    Returns:
        Counts only, as every fetch; or what to wait for.

    Raises:
        TransientError: the service refuses, is silent, or takes too long; asked anew it may not.
    """
    run = run_of(report, context)
    records = RequestRecords(staging_bucket(), run.id)
    record = records.read(source.name)
    if record is None or record.ended:
        raise TransientError(f"Source {source.name!r}: its request is gone; it is asked again.")
    inbox = Inbox(records.bucket, run.id, source.name, record.key(run.id.task_key))
    with broker(source.conn_id).channel() as channel:
        count = count_replies(channel, inbox.key)
        received = receive(channel, inbox) if count else Received(0, "")
    if received.failed:
        raise _given_up(source, records, record, f"the service refused: {received.failed[:200]}")
    if inbox.missing == []:
        return _staged(source, report, context, inbox, record)
    outcome = GONE if count is None else event.get("outcome")
    if outcome in WHY and not received.count:
        why = WHY[outcome].format(
            queue=source.queue, stalled_after=source.stalled_after, time_limit=source.time_limit
        )
        raise _given_up(source, records, record, why)
    return _waiting(source, record, inbox.key)


def _staged(
    source: MessageSource, report: Report, context: Context, inbox: Inbox, record: RequestRecord
) -> dict[str, Any]:
    with warehouse() as connection:
        hold(connection, report, run_of(report, context), context)
    counts = stage(source, report, context, partial(_read, source, inbox))
    with broker(source.conn_id).channel() as channel:
        forget_replies(channel, inbox.key)
    inbox.forget()
    end_request(RequestRecords(inbox.bucket, inbox.run), record, "collected")
    return counts


def _read(source: MessageSource, inbox: Inbox, _run: Run, attempt: Attempt) -> dict[str, Any]:
    fields = take_parts(inbox, reference_bucket(), source, Intake(source, attempt))
    return {"request": inbox.key, "parts": inbox.last, **field_drift(source, fields)}


def _given_up(
    source: MessageSource, records: RequestRecords, record: RequestRecord, why: str
) -> ReportError:
    canceller(records.run)(record)
    end_request(records, record, why)
    return TransientError(f"Source {source.name!r}: {why}. Nothing was committed.")


def _request(source: MessageSource, run: Run, key: str) -> Request:
    asked = request_body(source.request, query_values(run))
    columns = {column.name: column.type for column in source.schema}
    return Request(key, run.id.report, source.name, run.id.run_id, asked, columns)


def _waiting(source: MessageSource, record: RequestRecord, key: str) -> Waiting:
    until = datetime.fromisoformat(record.sent_at) + source.time_limit
    patience = {
        "first_pause": FIRST_PAUSE,
        "longest_pause": source.longest_pause.total_seconds(),
        "stalled_after": source.stalled_after.total_seconds(),
        "until": max(until.timestamp(), time.time()),
    }
    return Waiting(source.conn_id, key, patience)
