"""Puts together what is shown of all reports: some ten queries, however many reports there are."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from report_center.records.history import last_days, success_rate
from report_center.records.punctuality import standings
from report_center.records.reports import reports
from report_center.records.run_list import with_versions
from report_center.records.today import Today, TodayRow

if TYPE_CHECKING:
    import psycopg
    from sqlalchemy.orm import Session

    from report_center.records.elsewhere import Elsewhere
    from report_center.records.reports import ReportRow

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
    stand = standings(session, known, now)
    runs = [standing.last for standing in stand.values() if standing.last is not None]
    last = {run.report: run for run in with_versions(elsewhere, runs)}
    days = last_days(session, names, now)
    nothing: Published = {}
    published = elsewhere.warehouse(lambda at: _published(at, names), nothing)

    def row(report: ReportRow) -> TodayRow:
        name = report.name
        version, period, published_at = published.get(name, (None, None, None))
        return TodayRow(
            report=report,
            last=last.get(name),
            next_at=None if report.is_paused or report.is_gone else report.next_run_at,
            is_late=stand[name].late is not None,
            expected_end=stand[name].expected_end,
            version=version,
            period=period,
            published_at=published_at,
            success_rate=success_rate(days.get(name, ())),
            durations=days.get(name, ()),
        )

    return Today(tuple(row(report) for report in known), tuple(elsewhere.unseen))


def _published(warehouse: psycopg.Connection[Any], names: Sequence[str]) -> Published:
    found = warehouse.execute(PUBLISHED, (list(names),))
    return {report: (version, period, at) for report, version, period, at in found}
