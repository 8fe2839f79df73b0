"""Fetching by messages: ask, take what has come, and stage it once all of it has."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

from reporting.airflow_edge.connections import broker, reference_bucket, staging_bucket
from reporting.airflow_edge.message_trigger import MessageTrigger
from reporting.airflow_edge.run_context import run_of
from reporting.airflow_edge.steps.asking import patience, request_due, request_under_way
from reporting.airflow_edge.steps.stage import stage
from reporting.core.fetch.field_drift import field_drift
from reporting.core.fetch.query_values import query_values
from reporting.core.intake import Intake
from reporting.core.service.asking import end_request
from reporting.core.service.conversation import Conversation
from reporting.core.service.inbox import Inbox
from reporting.core.service.receiving import take_parts
from reporting.core.service.request_body import request_body
from reporting.core.service.request_record import RequestRecord, RequestRecords
from reporting.core.service.watch import LATE, LOST, STALLED
from reporting.errors import ReportError, TransientError
from reporting.messages import Request

if TYPE_CHECKING:
    from airflow.sdk import Context

    from reporting.core.run import Run
    from reporting.core.staging import Attempt
    from reporting.definition.messages import MessageSource
    from reporting.definition.report import Report

WHY = {
    STALLED: "the service on queue {queue!r} sent nothing for {stalled_after}",
    LATE: "the answer had not ended after {time_limit}",
}
FIRST_PAUSE = timedelta(milliseconds=200)


def ask(source: MessageSource, report: Report, context: Context) -> MessageTrigger:
    """Send the request, unless that was done before.

    Raises:
        TransientError: the broker cannot be reached, or nobody takes such requests.
    """
    _, records, record = request_due(source, "message", report, context)
    talk = _conversation(source, report, context, record)
    if record.job:
        talk.ask_again_if_lost()
    else:
        asked = replace(record, cancel=talk.request.key)
        records.write(asked)
        talk.ask()
        records.write(replace(asked, job=talk.request.key))
    return _trigger(source, record, talk)


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
    talk = _conversation(source, report, context, record)
    outcome = event.get("outcome")
    if outcome == LOST and talk.ask_again_if_lost():
        return _trigger(source, record, talk)
    count = talk.hear()
    if failed := talk.inbox.failed:
        raise _given_up(source, records, record, talk, failed)
    if talk.inbox.missing == []:
        return _staged(source, report, context, talk, record)
    if outcome in WHY and not count:
        why = WHY[outcome].format(
            queue=source.queue, stalled_after=source.stalled_after, time_limit=source.time_limit
        )
        raise _given_up(source, records, record, talk, why)
    return _trigger(source, record, talk)


def _staged(
    source: MessageSource,
    report: Report,
    context: Context,
    talk: Conversation,
    record: RequestRecord,
) -> dict[str, Any]:
    inbox = talk.inbox
    counts = stage(source, report, context, partial(_read, source, inbox))
    talk.end()
    end_request(RequestRecords(inbox.bucket, inbox.run), record, "collected")
    inbox.forget()
    return counts


def _read(source: MessageSource, inbox: Inbox, _run: Run, attempt: Attempt) -> dict[str, Any]:
    fields = take_parts(inbox, reference_bucket(), source, Intake(source, attempt))
    return {"request": inbox.key, "parts": inbox.last, **field_drift(source, fields)}


def _given_up(
    source: MessageSource,
    records: RequestRecords,
    record: RequestRecord,
    talk: Conversation,
    why: str,
) -> ReportError:
    talk.end()
    end_request(records, record, why)
    talk.inbox.forget()
    return TransientError(f"Source {source.name!r}: {why}. Nothing was committed.")


def _conversation(
    source: MessageSource, report: Report, context: Context, record: RequestRecord
) -> Conversation:
    run = run_of(report, context)
    key = record.key(run.id.task_key)
    asked = request_body(source.request, query_values(run))
    columns = {column.name: column.type for column in source.schema}
    request = Request(key, run.id.report, source.name, run.id.run_id, asked, columns)
    inbox = Inbox(staging_bucket(), run.id, source.name, key)
    return Conversation(broker(source.conn_id), source.queue, request, inbox, source.time_limit)


def _trigger(source: MessageSource, record: RequestRecord, talk: Conversation) -> MessageTrigger:
    return MessageTrigger(source.conn_id, talk.request.key, patience(source, record, FIRST_PAUSE))
