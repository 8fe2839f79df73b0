"""Waits until Airflow has read the sample's file."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from reporting.cli.report_dags import report_dag
from reporting.errors import InputError, ReportError, TransientError

if TYPE_CHECKING:
    from reporting.cli.progress import Progress
    from reporting.core.airflow_api import AirflowApi

LIMIT_SECONDS = 120
POLL_SECONDS = 1.0


def wait_until_known(
    api: AirflowApi,
    report: str,
    progress: Progress,
    sleep: Callable[[float], None] = time.sleep,
) -> dict[str, Any]:
    """Return the report's DAG once it can be triggered.

    A broken file does not end the wait: it may have been mended a moment ago, and Airflow only
    reads it anew now and then.

    Raises:
        TransientError: it is not known in time; says what Airflow holds against its file.
        TerminalError: Airflow refuses to answer, e.g. because of a wrong password.
    """
    while True:
        try:
            dag = report_dag(api, report)
        except (InputError, TransientError) as error:
            fault = f"{error} {_import_error(api, report)}".rstrip()
        else:
            progress.tell(f"Airflow knows {report}")
            return dag
        progress.tell(f"waiting until Airflow has read {report}.py")
        if progress.elapsed > LIMIT_SECONDS:
            raise TransientError(f"Not known after {LIMIT_SECONDS} s. {fault}")
        sleep(POLL_SECONDS)


def _import_error(api: AirflowApi, report: str) -> str:
    """Return the last line of the file's import error, if it has one."""
    try:
        found = list(api.pages("importErrors", "import_errors"))
    except ReportError:
        return ""
    traces = [error["stack_trace"] for error in found if f"{report}.py" in error["filename"]]
    return str(traces[0]).strip().rpartition("\n")[2] if traces else ""
