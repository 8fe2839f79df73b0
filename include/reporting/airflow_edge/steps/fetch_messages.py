"""Fetching by messages: ask, take what has come, and stage it once all of it has."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

from reporting.airflow_edge.connections import broker, reference_bucket
from reporting.airflow_edge.message_trigger import MessageTrigger
from reporting.airflow_edge.run_context import run_of
from reporting.airflow_edge.steps.asking import patience, request_due, request_under_way
from reporting.airflow_edge.steps.stage import stage
from reporting.core.fetch.field_drift import field_drift
from reporting.core.fetch.query_values import query_values
from reporting.core.intake import Intake
from reporting.core.service.conversation import Conversation
from reporting.core.service.receiving import take_parts
from reporting.core.service.request_body import request_body
from reporting.messages import Request

if TYPE_CHECKING:
    from airflow.sdk import Context

    from reporting.core.run import Run
    from reporting.core.service.inbox import Inbox
    from reporting.core.service.request_record import RequestRecord, RequestRecords
    from reporting.core.staging import Attempt
    from reporting.definition.messages import MessageSource
    from reporting.definition.report import Report

FIRST_PAUSE = timedelta(milliseconds=200)
# To go away and come back takes longer; no slot is held any longer than that.
AT_ONCE = timedelta(seconds=2)


def ask(source: MessageSource, report: Report, context: Context) -> dict[str, Any] | MessageTrigger:
    """Send the request, unless that was done before, and hear a service that answers at once.

    Returns:
        Counts when it did, else what to wait for.

    Raises:
        TransientError: the broker cannot be reached, or nobody takes such requests.
    """
    run, records, record = request_due(source, "message", report, context)
    talk = _conversation(source, run, records, record)
    talk.ask_once()
    return _staged(report, context, talk) if talk.hear_within(AT_ONCE) else _trigger(talk)


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
    talk = _conversation(source, run_of(report, context), records, record)
    whole = talk.hear(event.get("outcome"))
    return _staged(report, context, talk) if whole else _trigger(talk)


def _staged(report: Report, context: Context, talk: Conversation) -> dict[str, Any]:
    source = talk.source
    counts = stage(source, report, context, partial(_read, source, talk.inbox))
    talk.end("collected")
    return counts


def _read(source: MessageSource, inbox: Inbox, _run: Run, attempt: Attempt) -> dict[str, Any]:
    fields = take_parts(inbox, reference_bucket(), source, Intake(source, attempt))
    return {"request": inbox.key, "parts": inbox.last, **field_drift(source, fields)}


def _conversation(
    source: MessageSource, run: Run, records: RequestRecords, record: RequestRecord
) -> Conversation:
    key = record.key(run.id.task_key)
    asked = request_body(source.request, query_values(run))
    columns = {column.name: column.type for column in source.schema}
    request = Request(key, run.id.report, source.name, run.id.run_id, asked, columns)
    return Conversation(source, broker(source.conn_id), records, record, request)


def _trigger(talk: Conversation) -> MessageTrigger:
    source = talk.source
    waits = patience(source, talk.record, FIRST_PAUSE)
    return MessageTrigger(source.conn_id, talk.request.key, waits)
