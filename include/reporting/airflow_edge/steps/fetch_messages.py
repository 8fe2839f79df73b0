"""Fetching by messages: ask, take what has come, and stage it once all of it has."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

from reporting.airflow_edge.connections import broker, reference_bucket
from reporting.airflow_edge.message_trigger import MessageTrigger
from reporting.airflow_edge.requests import canceller
from reporting.airflow_edge.steps.asking import patience, request_due, request_under_way
from reporting.airflow_edge.steps.stage import stage
from reporting.core.fetch.field_drift import field_drift
from reporting.core.fetch.query_values import query_values
from reporting.core.intake import Intake
from reporting.core.service.asking import end_request
from reporting.core.service.broker import count_replies, forget_replies, send_request
from reporting.core.service.inbox import Inbox
from reporting.core.service.receiving import Received, receive, take_parts
from reporting.core.service.request_body import request_body
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
FIRST_PAUSE = timedelta(milliseconds=200)


def ask(source: MessageSource, report: Report, context: Context) -> MessageTrigger:
    """Send the request, unless that was done before.

    Raises:
        TransientError: the broker cannot be reached, or nobody takes such requests.
    """
    run, records, record = request_due(source, "message", report, context)
    key = record.key(run.id.task_key)
    with broker(source.conn_id).channel() as channel:
        if not record.job:
            records.write(replace(record, cancel=key))
            send_request(channel, source.queue, _request(source, run, key), source.time_limit)
            records.write(replace(record, cancel=key, job=key))
    return _trigger(source, record, key)


def collect(
    source: MessageSource, report: Report, context: Context, event: dict[str, Any]
) -> dict[str, Any] | MessageTrigger:
    """Take what has come; stage it when that is all, else go on waiting.

    Returns:
        Counts only, as every fetch; or what to wait for.

    Raises:
        TransientError: the service refuses, is silent, or takes too long; asked anew it may not.
    """
    records, record = request_under_way(source, report, context)
    run = records.run
    inbox = Inbox(records.bucket, run, source.name, record.key(run.task_key))
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
    return _trigger(source, record, inbox.key)


def _staged(
    source: MessageSource, report: Report, context: Context, inbox: Inbox, record: RequestRecord
) -> dict[str, Any]:
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


def _trigger(source: MessageSource, record: RequestRecord, key: str) -> MessageTrigger:
    return MessageTrigger(source.conn_id, key, patience(source, record, FIRST_PAUSE))
