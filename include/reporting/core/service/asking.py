"""Asks a service for a job once per need: a crash re-attaches or asks the same again."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from reporting.core.service.job import path_of, submit
from reporting.core.service.request_record import RequestRecord, RequestRecords, life_of

if TYPE_CHECKING:
    from reporting.core.fetch.client import Client
    from reporting.core.run import RunId
    from reporting.definition.jobs import HttpJobSource

log = logging.getLogger(__name__)

Cancel = Callable[[RequestRecord], None]


def record_due(
    records: RequestRecords, source: str, way: str, conn_id: str, cancel: Cancel
) -> RequestRecord:
    """Return the record to ask by: the one under way, or a new one, kept before it is returned.

    What an earlier life of the run has asked for is cancelled: a fetch that runs again fetches
    again.
    """
    life = life_of(records.run)
    before = records.read(source)
    if before is not None and before.life == life and not before.ended:
        log.info("Going on with request %s of %s.", before.number, source)
        return before
    if before is not None and not before.ended:
        cancel(before)
    number = before.number + 1 if before is not None and before.life == life else 1
    now = datetime.now(UTC).isoformat()
    record = RequestRecord(source, life, number, way, conn_id, now)
    records.write(record)
    return record


def ask_for_job(
    records: RequestRecords,
    record: RequestRecord,
    client: Client,
    source: HttpJobSource,
    request: Mapping[str, Any],
) -> RequestRecord:
    """Submit the job unless the service has answered already; return the record with its id.

    Raises:
        TransientError: no answer came; asking again with the same key gives the same job.
        TerminalError: the service refuses.
    """
    if record.job:
        return record
    # Kept first: with it the same can be asked again by whoever has to cancel.
    asked = replace(record, path=source.path, request=dict(request), id_field=source.job.id)
    asked = replace(asked, cancel=source.job.cancel_path or "")
    records.write(asked)
    job = submit(client, source.path, request, asked.key(records.run.task_key), source.job.id)
    known = replace(asked, job=job)
    records.write(known)
    log.info("Source %s: job %s was submitted.", source.name, job)
    return known


def end_request(records: RequestRecords, record: RequestRecord, reason: str) -> None:
    """Note that nothing more comes of a request, and why."""
    records.write(replace(record, ended=reason, request={}))


def cancel_job(record: RequestRecord, client: Client, run: RunId) -> None:
    """Cancel what a record has asked for; the id is asked for again where no answer came.

    Raises:
        TransientError: no answer came.
        TerminalError: the service refuses.
    """
    from reporting.core.service.job import cancel

    if not record.cancel:
        return
    job = record.job or submit(
        client, record.path, record.request, record.key(run.task_key), record.id_field
    )
    cancel(client, path_of(record.cancel, job))
