"""A paused report: its runs wait, so it is unpaused when asked for, and refused otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from reporting.cli.report_dags import unpause
from reporting.definition.schedule_text import BY_HAND, read_starts
from reporting.errors import InputError

if TYPE_CHECKING:
    from reporting.cli.console import Say
    from reporting.core.airflow_api import AirflowApi

NOTHING_MORE = ("", BY_HAND)


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
    starts = read_starts(dag.get("doc_md") or "")
    if not may_unpause:
        also = f", which also lets it run {starts}" if starts not in NOTHING_MORE else ""
        raise InputError(
            f"Report {report!r} is paused, its run would wait; add --unpause{also}, or switch it "
            f"on at {api.base_url}/dags/{report}"
        )
    unpause(api, report)
    progress(f"Unpaused {report}{_from_now_on(starts)}.")


def _from_now_on(starts: str) -> str:
    """Return what else starts it now that it may run."""
    if not starts:
        return ""
    return f"; it runs {starts}" if starts == BY_HAND else f"; it runs {starts}, too"
