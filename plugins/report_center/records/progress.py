"""How far a run is: what its running steps say, and how many sources are ready."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from reporting.core.airflow_names import PROGRESS
from reporting.core.states import FETCH_PREFIX

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from report_center.records.run import StepRow
    from report_center.records.runs import RunRow


@dataclass(frozen=True)
class StepProgress:
    """What a running step has said last.

    Attributes:
        step: task id.
        rows: rows so far.
        bytes: bytes so far.
        said_at: when it said so.
    """

    step: str
    rows: int
    bytes: int
    said_at: datetime


@dataclass(frozen=True)
class RunProgress:
    """How far a run is.

    Attributes:
        report: name of the report.
        run_id: Airflow's run id.
        state: the one state of R3.
        is_over: whether nothing more will happen.
        elapsed: seconds since it started; None before.
        sources_ready: how many sources are staged.
        sources_total: how many there are.
        steps: what the steps that run now say.
        expected_end: when it will have ended, by the usual duration; None when nobody can tell.
    """

    report: str
    run_id: str
    state: str
    is_over: bool
    elapsed: float | None
    sources_ready: int
    sources_total: int
    steps: tuple[StepProgress, ...]
    expected_end: datetime | None


def run_progress(
    session: Session, run: RunRow, steps: Sequence[StepRow], end: datetime | None
) -> RunProgress:
    """Return how far a run is.

    Args:
        session: of Airflow's database.
        run: the run.
        steps: its tasks.
        end: when it is expected to end.
    """
    fetches = [
        state
        for task, state in run.steps.items()
        if task.startswith(FETCH_PREFIX) and state != "removed"
    ]
    return RunProgress(
        report=run.report,
        run_id=run.run_id,
        state=run.state,
        is_over=run.is_over,
        elapsed=run.seconds,
        sources_ready=sum(state == "success" for state in fetches),
        sources_total=len(fetches),
        steps=tuple(_said(session, run, steps)),
        expected_end=end,
    )


def _said(session: Session, run: RunRow, steps: Sequence[StepRow]) -> list[StepProgress]:
    """Return what the running steps say of this try; what an earlier one has said is over."""
    begun = {step.name: step.started_at for step in steps if step.state == "running"}
    if not begun:
        return []
    from airflow.models.task_state_store import TaskStateStoreModel as Kept
    from sqlalchemy import select

    query = select(Kept.task_id, Kept.value, Kept.updated_at).where(
        Kept.dag_run_id == run.number, Kept.key == PROGRESS, Kept.task_id.in_(begun)
    )
    found = []
    for task, value, at in session.execute(query):
        started = begun[task]
        counts = json.loads(value)
        if started is not None and at >= started and isinstance(counts, dict):
            rows, size = int(counts.get("rows", 0)), int(counts.get("bytes", 0))
            found.append(StepProgress(task, rows, size, at))
    return found
