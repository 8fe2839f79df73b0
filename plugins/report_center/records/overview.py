"""Puts together what is shown of all reports: some ten queries, however many reports there are."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from report_center.records.history import last_days, success_rate
from report_center.records.reports import reports
from report_center.records.run_list import with_versions
from report_center.records.run_rows import run_rows
from report_center.records.today import Today, TodayRow
from report_center.records.usual import expected_end, late_since, usual_seconds

if TYPE_CHECKING:
    import psycopg
    from sqlalchemy.orm import Session

    from report_center.records.elsewhere import Elsewhere
    from report_center.records.reports import ReportRow
    from report_center.records.runs import RunRow

# By report: version, period and moment of what it has published last.
Published = dict[str, tuple[int, str, datetime]]
PUBLISHED = """
SELECT wanted.report, r.version, r.period, r.published_at
FROM unnest(%s::text[]) AS wanted (report) CROSS JOIN LATERAL (
    SELECT version, period, published_at FROM reporting.release
    WHERE release.report = wanted.report ORDER BY release_id DESC LIMIT 1) AS r
"""


def today(
    session: Session,
    elsewhere: Elsewhere,
    now: datetime,
    readable: Collection[str] | None = None,
) -> Today:
    """Return every report that may be read.

    Args:
        session: of Airflow's database.
        elsewhere: where the published versions are known.
        now: decides what is late.
        readable: names of the reports that may be read; None for all.
    """
    known = reports(session, readable)
    names = [report.name for report in known]
    last = {run.report: run for run in with_versions(elsewhere, last_runs(session, names))}
    usual = usual_seconds(session, [name for name, run in last.items() if not run.is_over])
    days = last_days(session, names, now)
    nothing: Published = {}
    published = elsewhere.warehouse(lambda at: _published(at, names), nothing)

    def row(report: ReportRow) -> TodayRow:
        name, run = report.name, last.get(report.name)
        version, period, published_at = published.get(name, (None, None, None))
        return TodayRow(
            report=report,
            last=run,
            next_at=None if report.is_paused else report.next_run_at,
            is_late=late_since(report, run, usual.get(name), now) is not None,
            expected_end=expected_end(run, usual.get(name)),
            version=version,
            period=period,
            published_at=published_at,
            success_rate=success_rate(days.get(name, ())),
            durations=days.get(name, ()),
        )

    return Today(tuple(row(report) for report in known), tuple(elsewhere.unseen))


def last_runs(session: Session, names: Sequence[str]) -> list[RunRow]:
    """Return the newest run of each report that has any."""
    from airflow.models.dagrun import DagRun
    from sqlalchemy import func, select
    from sqlalchemy.orm import lazyload

    if not names:
        return []
    newest = select(func.max(DagRun.id)).where(DagRun.dag_id.in_(names)).group_by(DagRun.dag_id)
    query = select(DagRun).where(DagRun.id.in_(newest)).options(lazyload("*"))
    return run_rows(session, session.scalars(query).all())


def _published(warehouse: psycopg.Connection[Any], names: Sequence[str]) -> Published:
    found = warehouse.execute(PUBLISHED, (list(names),))
    return {report: (version, period, at) for report, version, period, at in found}
