"""The two halves of fetching a drop in S3: look for it, and stage it once it is complete."""

from __future__ import annotations

import logging
import time
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any

from reporting.airflow_edge.drop_trigger import DropTrigger
from reporting.airflow_edge.run_context import run_of
from reporting.airflow_edge.s3_clients import s3_client
from reporting.airflow_edge.steps.stage import stage
from reporting.core.fetch.s3 import read_drop
from reporting.core.fetch.s3_landing import Landing
from reporting.core.fetch.s3_look import Look, look
from reporting.core.fetch.s3_sought import Sought, sought_by
from reporting.core.service.watch import REFUSED, Patience
from reporting.errors import ReportError, TerminalError, TransientError

if TYPE_CHECKING:
    from airflow.sdk import Context

    from reporting.core.run import Run
    from reporting.core.staging import Attempt
    from reporting.definition.drops import S3Source
    from reporting.definition.report import Report

log = logging.getLogger(__name__)

FIRST_PAUSE = 1.0


def ask(source: S3Source, report: Report, context: Context) -> dict[str, Any] | DropTrigger:
    """Stage the drop at once when it is complete.

    Returns:
        Counts, as every fetch; or what to wait for.

    Raises:
        TransientError: it is not complete, and is not waited for; or the store is away.
        TerminalError: the store refuses the connection.
    """
    until = time.time() + source.wait.total_seconds()
    return _staged_or_awaited(source, report, context, "", until)


def collect(
    source: S3Source, report: Report, context: Context, event: dict[str, Any]
) -> dict[str, Any] | DropTrigger:
    """Look again, and stage the drop when it is complete.

    Returns:
        Counts, as every fetch; or what to go on waiting for.

    Raises:
        TransientError: an object has changed since the look; another try looks again.
        TerminalError: the time is over, or the store refuses the connection.
    """
    if event.get("outcome") == REFUSED:
        raise TerminalError(event["reason"])
    sign, until = event.get("sign", ""), event.get("until", 0.0)
    return _staged_or_awaited(source, report, context, sign, until)


def _staged_or_awaited(
    source: S3Source, report: Report, context: Context, sign: str, until: float
) -> dict[str, Any] | DropTrigger:
    sought = sought_by(source, run_of(report, context).period.key)
    landing = Landing(s3_client(source.conn_id), source.bucket, source.conn_id, source.name)
    found = look(landing, sought, sign)
    if not found.lacks:
        return stage(source, report, context, partial(_read, source, landing, found))
    if time.time() >= until:
        raise _not_delivered(source, found)
    log.info("Source %r: %s; waits for it.", source.name, found.lacks)
    return _trigger(source, sought, found, until)


def _read(
    source: S3Source, landing: Landing, found: Look, _run: Run, attempt: Attempt
) -> dict[str, Any]:
    return read_drop(source, landing, found, attempt)


def _not_delivered(source: S3Source, found: Look) -> ReportError:
    said = f"Source {source.name!r}: {found.lacks}"
    if source.wait:
        return TerminalError(f"{said}. It was waited for {source.wait}; nothing was committed.")
    return TransientError(f"{said}. Nothing was committed.")


def _trigger(source: S3Source, sought: Sought, found: Look, until: float) -> DropTrigger:
    longest = source.longest_pause.total_seconds()
    # What tells of its completeness by time alone is given time between two looks.
    first = min(sought.unchanged or FIRST_PAUSE, longest)
    patience = Patience(first, longest, source.wait.total_seconds(), until)
    return DropTrigger(asdict(sought), asdict(patience), found.sign, found.lacks)
