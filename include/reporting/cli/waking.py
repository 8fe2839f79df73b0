"""A paused report: its runs wait, so it is unpaused when asked for, and refused otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from reporting.cli.report_dags import unpause
from reporting.errors import InputError

if TYPE_CHECKING:
    from reporting.cli.console import Say
    from reporting.core.airflow_api import AirflowApi


def ensure_awake(
    api: AirflowApi, dag: Mapping[str, Any], progress: Say, *, may_unpause: bool
) -> None:
    """Let the report's tasks run.

    Raises:
        InputError: it is paused and may not be unpaused.
    """
    if not dag["is_paused"]:
        return
    report = str(dag["dag_id"])
    if not may_unpause:
        raise InputError(
            f"Report {report!r} is paused, its run would wait; add --unpause, which also "
            f"lets it run on its schedule, or switch it on at {api.base_url}/dags/{report}"
        )
    unpause(api, report)
    progress(f"Unpaused {report}; it runs on its schedule, too.")
