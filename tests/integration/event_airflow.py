"""Airflow as `init` of a run sees it that an upstream event has started."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

from airflow.sdk import Asset
from airflow.sdk.exceptions import ErrorType
from airflow.sdk.execution_time.comms import ErrorResponse, GetAssetEventByAsset, TriggerDagRun

from reporting.airflow_edge.run_context import BY_EVENT
from reporting.core.upstream_event import RUN_PREFIX

NAME = "orders_loaded"


@dataclass
class EventAirflow:
    """The runs of one report, and what it was told.

    Attributes:
        states: state per run.
        since: events that came after a run was decided on.
        left: XComs that `init` has pushed last.
        started: when the runs have begun.
    """

    states: dict[str, str] = field(default_factory=dict)
    since: list[Any] = field(default_factory=list)
    left: dict[str, Any] = field(default_factory=dict)
    started: datetime = field(default_factory=lambda: datetime.now(UTC))

    def context(self, report: str, run_id: str, *given: Any, due: datetime) -> Any:
        """Return the context of `init` of a run that now works; without events it has its own."""
        self.states[run_id] = "running"
        self.left.clear()
        dag_run = SimpleNamespace(
            dag_id=report,
            run_id=run_id,
            run_type=BY_EVENT if given else "operator_triggered",
            clear_number=0,
            start_date=self.started,
            run_after=due,
            data_interval_start=None,
            conf={},
        )
        assert given or run_id.startswith(RUN_PREFIX)
        return {
            "ti": self,
            "dag_run": dag_run,
            "params": {},
            "triggering_asset_events": {Asset(NAME): given} if given else {},
        }

    def get_dr_count(self, *, dag_id: str, run_ids: Sequence[str], states: Sequence[str]) -> int:
        """Return how many of the runs are in one of the states."""
        assert dag_id
        return sum(self.states.get(run_id) in states for run_id in run_ids)

    def xcom_push(self, key: str, value: Any) -> None:
        """Keep what a task leaves."""
        self.left[key] = value

    def send(self, message: Any) -> Any:
        """Answer as Airflow's supervisor does."""
        if isinstance(message, GetAssetEventByAsset):
            return SimpleNamespace(asset_events=self.since)
        assert isinstance(message, TriggerDagRun)
        if message.run_id in self.states:
            return ErrorResponse(error=ErrorType.DAGRUN_ALREADY_EXISTS)
        self.states[message.run_id] = "queued"
        return SimpleNamespace(ok=True)


def noted(at: datetime, **told: Any) -> Any:
    """Return an event as Airflow notes it."""
    return SimpleNamespace(timestamp=at, extra=told)
