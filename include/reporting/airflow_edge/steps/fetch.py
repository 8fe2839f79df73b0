"""`fetch_<source>`: stages one source and commits it with a manifest."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from reporting.airflow_edge.connections import http_endpoint, postgres
from reporting.airflow_edge.steps.stage import stage
from reporting.core.fetch.http import fetch_http
from reporting.core.fetch.postgres import fetch_postgres
from reporting.definition.sources import HttpSource, PostgresSource
from reporting.errors import TerminalError

if TYPE_CHECKING:
    from airflow.sdk import Context

    from reporting.core.run import Run
    from reporting.core.staging import Attempt
    from reporting.definition.report import Report
    from reporting.definition.source import Source


def fetch(source: Source, report: Report, context: Context) -> dict[str, Any]:
    """Stage the source; a fetch that runs always fetches, it never serves older data.

    Returns:
        Counts only: rows, bytes, parts, rows set aside.

    Raises:
        ReportError: the source cannot be read as declared; nothing was committed.
    """
    return stage(source, report, context, partial(_read, source, report))


def _read(source: Source, report: Report, run: Run, attempt: Attempt) -> dict[str, Any]:
    match source:
        case PostgresSource():
            connect = partial(postgres, source.conn_id)
            return fetch_postgres(source, connect, source.text(report.folder), run, attempt)
        case HttpSource():
            return fetch_http(source, http_endpoint(source.conn_id), run, attempt)
        case _:
            raise TerminalError(f"Source {source.name!r}: {type(source).__name__} has no fetch.")
