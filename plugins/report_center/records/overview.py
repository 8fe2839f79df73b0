"""Puts together what is shown of all reports: some ten queries, however many reports there are."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from report_center.records.history import last_days, last_took, success_rate
from report_center.records.punctuality import standings
from report_center.records.reports import reports
from report_center.records.run_list import with_versions
from report_center.records.seen import SeenRow, seen_by_readers
from report_center.records.today import Today, TodayRow

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from report_center.records.elsewhere import Elsewhere
    from report_center.records.reports import ReportRow


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
    nothing: dict[str, SeenRow] = {}
    seen = elsewhere.warehouse(lambda at: seen_by_readers(at, names), nothing)

    def row(report: ReportRow) -> TodayRow:
        name = report.name
        shown, past = seen.get(name, SeenRow()), days.get(name, ())
        return TodayRow(
            report=report,
            last=last.get(name),
            next_at=None if report.is_paused or report.is_gone else report.next_run_at,
            is_late=stand[name].late is not None,
            expected_end=stand[name].expected_end,
            version=shown.version,
            period=shown.period,
            published_at=shown.published_at,
            success_rate=success_rate(past),
            durations=past,
            unshown=shown.unshown,
        )

    return Today(tuple(row(report) for report in known), tuple(elsewhere.unseen))


def with_took(session: Session, found: Today, names: Collection[str], now: datetime) -> Today:
    """Return the same with how long the runs of some reports took."""
    took = last_took(session, names, now)
    return replace(
        found, rows=tuple(replace(row, took=took.get(row.report.name)) for row in found.rows)
    )
