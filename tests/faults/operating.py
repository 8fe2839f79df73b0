"""What a person does to a run, over Airflow's REST API."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from reporting.core.airflow_api import AirflowApi, ConflictError, NotFoundError, run_path
from reporting.errors import InputError
from tests.faults.drawing import (
    AGAIN,
    BACKFILL,
    CLEAR,
    CLEAR_ALONE,
    CLEAR_RUN,
    DELETE,
    MARK_RUN,
    MARK_TASK,
)
from tests.faults.patience import with_patience
from tests.faults.plan import Action
from tests.faults.subject import Case


@dataclass(frozen=True)
class Operator:
    """Somebody at the console.

    Attributes:
        api: a logged-in client.
        case: what the run reports on.
        run_id: the run.
    """

    api: AirflowApi
    case: Case
    run_id: str

    def start(self, run_id: str, **params: Any) -> None:
        """Start a run of the case; one that is there already was started by an earlier try."""
        body = {
            "dag_run_id": run_id,
            "logical_date": None,
            "conf": {"period": self.case.period, **params},
        }
        with_patience(lambda: self._started(run_id, body))

    def act(self, action: Action) -> str:
        """Do what the plan says.

        Returns:
            Why Airflow refuses; empty when it was done.
        """
        try:
            with_patience(lambda: self._act(action))
        except (ConflictError, NotFoundError, InputError) as error:
            return str(error)
        return ""

    def _started(self, run_id: str, body: Mapping[str, Any]) -> None:
        try:
            self.api.post(f"dags/{quote(self.case.report)}/dagRuns", body)
        except ConflictError:
            self.api.run(self.case.report, run_id)

    def _act(self, action: Action) -> None:
        path, run = run_path(self.case.report, self.run_id), self.run_id
        match action.what:
            case what if what in (CLEAR, CLEAR_ALONE):
                body = {
                    "dry_run": False,
                    "dag_run_id": run,
                    "task_ids": [action.task],
                    "only_failed": False,
                    "include_downstream": what == CLEAR,
                }
                self.api.post(f"dags/{quote(self.case.report)}/clearTaskInstances", body)
            case what if what == CLEAR_RUN:
                self.api.post(f"{path}/clear", {"dry_run": False, "only_failed": False})
            case what if what == MARK_TASK:
                self.api.patch(f"{path}/taskInstances/{action.task}", {"new_state": "failed"})
            case what if what == MARK_RUN:
                self.api.patch(path, {"state": "failed"})
            case what if what == DELETE:  # Airflow deletes none that runs
                self.api.patch(path, {"state": "failed"})
                self.api.delete(path)
            case what if what == AGAIN:
                self.start(f"{run}_again")
            case what if what == BACKFILL:
                self._backfill()

    def _backfill(self) -> None:
        day = self.case.period
        body = {
            "dag_id": self.case.report,
            "from_date": f"{day}T00:00:00+00:00",
            "to_date": f"{day}T23:59:59+00:00",
            "max_active_runs": 1,
            "reprocess_behavior": "none",
        }
        # One at a time per report.
        with_patience(lambda: self.api.post("backfills", body), (ConflictError,))
