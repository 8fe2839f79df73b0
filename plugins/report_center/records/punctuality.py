"""Whether reports are on time: two or three queries, however many there are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from report_center.records.run_rows import run_rows
from report_center.records.usual import expected_end, usual_seconds

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from report_center.records.reports import ReportRow
    from report_center.records.runs import RunRow

# What is not late yet: the scheduler, and runs, take their time.
START_GRACE = timedelta(minutes=5)
END_GRACE = timedelta(minutes=1)
SLOWER = 1.5


@dataclass(frozen=True)
class Late:
    """Why a report is late.

    Attributes:
        since: when it should have started, or ended.
        run_id: the run that waits or takes too long; None when the due one has not started.
    """

    since: datetime
    run_id: str | None


@dataclass(frozen=True)
class Standing:
    """How a report stands.

    Attributes:
        last: its newest run; None when it never ran.
        expected_end: when that will have ended; None when it is over, or nobody can tell.
        late: why it is late; None while it is on time.
    """

    last: RunRow | None
    expected_end: datetime | None
    late: Late | None


def standings(session: Session, known: Sequence[ReportRow], now: datetime) -> dict[str, Standing]:
    """Return how each report stands, by name."""
    last = {run.report: run for run in _last_runs(session, [report.name for report in known])}
    usual = usual_seconds(session, [name for name, run in last.items() if not run.is_over])
    return {
        report.name: _standing(report, last.get(report.name), usual.get(report.name), now)
        for report in known
    }


def lateness(
    report: ReportRow, last: RunRow | None, usual: float | None, now: datetime
) -> Late | None:
    """Return why a report is late.

    A start that is due is missed also while another run works, which may be of any period.

    Args:
        report: says when it is due.
        last: its newest run.
        usual: how many seconds it usually takes; None when that is unknown.
        now: decides.
    """
    late_run = None if last is None or last.is_over else _late_run(last, usual, now)
    return late_run or _missed_start(report, now)


def _standing(
    report: ReportRow, last: RunRow | None, usual: float | None, now: datetime
) -> Standing:
    return Standing(last, expected_end(last, usual), lateness(report, last, usual, now))


def _missed_start(report: ReportRow, now: datetime) -> Late | None:
    due = report.next_run_at
    if due is None or report.is_paused or report.is_gone or due + START_GRACE >= now:
        return None
    return Late(due, None)


def _late_run(run: RunRow, usual: float | None, now: datetime) -> Late | None:
    if run.started_at is None:
        waits_since = run.queued_at or run.run_after
        return Late(waits_since, run.run_id) if waits_since + START_GRACE < now else None
    end = expected_end(run, usual)
    if end is None or usual is None:
        return None
    last_moment = run.started_at + timedelta(seconds=usual * SLOWER) + END_GRACE
    return Late(end, run.run_id) if last_moment < now else None


def _last_runs(session: Session, names: Sequence[str]) -> list[RunRow]:
    """Return the newest run of each report that has any."""
    from airflow.models.dagrun import DagRun
    from sqlalchemy import func, select
    from sqlalchemy.orm import lazyload

    if not names:
        return []
    newest = select(func.max(DagRun.id)).where(DagRun.dag_id.in_(names)).group_by(DagRun.dag_id)
    query = select(DagRun).where(DagRun.id.in_(newest)).options(lazyload("*"))
    return run_rows(session, session.scalars(query).all())
