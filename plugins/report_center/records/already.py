"""Which run answers a request that was made before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from report_center.records.asked import Asked, key_of, request_key, same_run
from report_center.records.definitions import definitions
from report_center.records.releases import ReleaseRow, current_release
from report_center.records.run_list import one_run
from report_center.records.run_query import UNDER_WAY, runs_query
from report_center.records.run_rows import run_rows
from report_center.records.runs import RunsWanted

if TYPE_CHECKING:
    from datetime import datetime

    import psycopg
    from sqlalchemy.orm import Session

    from report_center.records.elsewhere import Elsewhere
    from report_center.records.reports import ReportRow
    from report_center.records.runs import RunRow

LOOKED_AT = 200  # runs of one report that are under way at once


@dataclass(frozen=True)
class Answered:
    """What answers a request.

    Attributes:
        run: the run; None when the one that published was deleted.
        release: what it has published; None while it is under way.
    """

    run: RunRow | None
    release: ReleaseRow | None


def answered_by(
    session: Session, elsewhere: Elsewhere, report: ReportRow, asked: Asked, now: datetime
) -> Answered | None:
    """Return the run that works on the same, or has published it; None for neither.

    Two that ask in the same instant may both get None, as does who leaves a secret param to its
    default: `init` then tells their run that it is a duplicate.
    """
    key = request_key(asked, report.definition, report.name, now)
    if key is None:
        return None
    running = same_run(_under_way(session, report.name), key, report.definition)
    if running is not None:
        return Answered(running, None)
    if asked.refresh:
        return None
    release = _current(elsewhere, report.name, key)
    if release is None:
        return None
    return Answered(one_run(session, elsewhere, report.name, release.run_id), release)


def release_of_same(session: Session, elsewhere: Elsewhere, run: RunRow) -> ReleaseRow | None:
    """Return what readers see of what a run was asked for, if anything."""
    definition = definitions(session, [run.report]).get(run.report)
    key = None if definition is None else key_of(run, definition)
    return None if key is None else _current(elsewhere, run.report, key)


def _current(elsewhere: Elsewhere, report: str, key: str) -> ReleaseRow | None:
    def ask(warehouse: psycopg.Connection[Any]) -> ReleaseRow | None:
        return current_release(warehouse, report, key)

    return elsewhere.warehouse(ask, None)


def _under_way(session: Session, report: str) -> list[RunRow]:
    from airflow.models.dagrun import DagRun

    query = runs_query(RunsWanted(report), None).where(DagRun.state.in_(UNDER_WAY))
    return run_rows(session, session.scalars(query.limit(LOOKED_AT)).all())
