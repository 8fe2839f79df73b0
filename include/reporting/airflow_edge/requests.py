"""Cancels what a run has asked of services."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING

from reporting.airflow_edge.connections import broker, http_endpoint
from reporting.core.fetch.client import Client
from reporting.core.fetch.limits import limits_from_now
from reporting.core.service.asking import cancel_job
from reporting.core.service.broker import forget_replies
from reporting.core.sweep import Sweep

if TYPE_CHECKING:
    from reporting.core.run import RunId
    from reporting.core.service.request_record import RequestRecord

CONNECT_SECONDS, READ_SECONDS = 5.0, 30.0
TOTAL = timedelta(minutes=2)
MAX_BYTES = 1024 * 1024


def canceller(run: RunId, sweep: Sweep | None = None) -> Callable[[RequestRecord], None]:
    """Return what cancels a request of the run.

    Args:
        run: which run.
        sweep: remembers the services that do not answer, when requests of more runs are cancelled.
    """
    asked = sweep or Sweep()

    def cancel(record: RequestRecord) -> None:
        if record.cancel:  # else nothing is asked of a connection that may not exist
            asked.ask(record.conn_id, partial(_cancel, run, record))

    return cancel


def _cancel(run: RunId, record: RequestRecord) -> None:
    if record.way == "message":
        with broker(record.conn_id).channel() as channel:
            forget_replies(channel, record.key(run.task_key))
        return
    limits = limits_from_now(CONNECT_SECONDS, READ_SECONDS, TOTAL, MAX_BYTES)
    where = f"Source {record.source!r}"
    with Client(where, http_endpoint(record.conn_id), limits) as client:
        cancel_job(record, client, run)
