"""One run in a list: how it went, what it reports on, and when."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from reporting.cli.amounts import NOTHING, moment_text, seconds_text
from reporting.cli.look import Look
from reporting.core.run import split_period
from reporting.core.states import INIT

if TYPE_CHECKING:
    from reporting.core.airflow_api import AirflowApi


@dataclass(frozen=True)
class RunLine:
    """How a run went.

    Attributes:
        state: the one state of R3, with a word on duplicates.
        period: period key, or what was asked for.
        run_id: Airflow's run id.
        started: when it began, None while it waits for that.
        ended: when it ended, None while it is under way.
    """

    state: str
    period: str | None
    run_id: str
    started: str | None = None
    ended: str | None = None

    @property
    def cells(self) -> list[str]:
        """Its line of the table."""
        return [
            self.state,
            self.period or NOTHING,
            self.run_id,
            moment_text(self.started),
            seconds_text(self._seconds),
        ]

    @property
    def _seconds(self) -> float | None:
        if self.started is None or self.ended is None:
            return None
        return (_moment(self.ended) - _moment(self.started)).total_seconds()


def read_runs(api: AirflowApi, report: str, limit: int) -> list[RunLine]:
    """Return the newest runs of a report, the newest first.

    Newest is what was asked for last: a backfill asks for days that are long over.
    """
    path = f"dags/{quote(report, safe='')}/dagRuns"
    found = api.get(path, limit=limit, order_by="-id")["dag_runs"]
    return [_line(api, report, run) for run in found]


def _line(api: AirflowApi, report: str, run: Mapping[str, Any]) -> RunLine:
    run_id = str(run["dag_run_id"])
    look = Look(run, api.task_states(report, run_id))
    period, _ = split_period(run.get("conf") or {})
    if period is None:
        request = api.xcom(report, run_id, INIT)
        period = request["period"] if request else None
    state = f"{look.state} (duplicate)" if look.is_duplicate else look.state
    return RunLine(state, period, run_id, run.get("start_date"), run.get("end_date"))


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)
