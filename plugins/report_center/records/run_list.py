"""Lists runs, page by page: each page goes on below the number where the one before has ended."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from report_center.records.published import Published, may_have_published, published_by
from report_center.records.run_query import UNDER_WAY, runs_query, succeeded
from report_center.records.run_rows import run_rows
from report_center.records.runs import RunRow, RunsPage, RunsWanted

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from report_center.records.elsewhere import Elsewhere

# A state of work is derived, not stored: so many runs under way are looked at for one page.
LOOKED_AT = 400
FETCHING = "FETCHING_DATA"


def runs(
    session: Session,
    elsewhere: Elsewhere,
    wanted: RunsWanted,
    readable: Collection[str] | None = None,
) -> RunsPage:
    """Return one page of runs.

    Args:
        session: of Airflow's database.
        elsewhere: where the published versions are known.
        wanted: which ones.
        readable: reports that may be read; None for all.
    """
    if wanted.state in (None, "SUCCESS", "FAILED"):
        page = _page_of_stored(session, wanted, readable)
    else:
        page = _page_of_derived(session, wanted, readable)
    return replace(page, runs=with_versions(elsewhere, page.runs), unseen=tuple(elsewhere.unseen))


def one_run(session: Session, elsewhere: Elsewhere, report: str, run_id: str) -> RunRow | None:
    """Return one run, or None when the report has no such run, or there is no such report."""
    found = one_row(session, report, run_id)
    return None if found is None else with_versions(elsewhere, [found])[0]


def one_row(session: Session, report: str, run_id: str) -> RunRow | None:
    """Return the same without the version: only Airflow's database is asked."""
    from airflow.models.dagrun import DagRun

    query = runs_query(RunsWanted(report), None).where(DagRun.run_id == run_id)
    return next(iter(run_rows(session, session.scalars(query).all())), None)


def with_versions(elsewhere: Elsewhere, rows: Sequence[RunRow]) -> tuple[RunRow, ...]:
    """Return the rows with the version each has published."""
    asked = [row for row in rows if may_have_published(row)]
    if not asked:
        return tuple(rows)
    known = _published(elsewhere, asked)
    return tuple(_with(row, known.get((row.report, row.run_id))) for row in rows)


def release_id_of(elsewhere: Elsewhere, row: RunRow) -> int | None:
    """Return the release that a run has published; None for none, or when nobody can tell."""
    if row.version is None:
        return None
    release = _published(elsewhere, [row]).get((row.report, row.run_id))
    return None if release is None else release.release_id


def _published(elsewhere: Elsewhere, rows: Sequence[RunRow]) -> Mapping[tuple[str, str], Published]:
    nothing: Mapping[tuple[str, str], Published] = {}
    return elsewhere.warehouse(lambda at: published_by(at, rows), nothing)


def _with(row: RunRow, release: Published | None) -> RunRow:
    if release is None:
        return replace(row, version=None)
    _, version, missing, set_aside = release
    return replace(row, version=version, missing=missing, set_aside=set_aside)


def _page_of_stored(
    session: Session, wanted: RunsWanted, readable: Collection[str] | None
) -> RunsPage:
    from airflow.models.dagrun import DagRun

    query = runs_query(wanted, readable)
    if wanted.state == "SUCCESS":
        query = query.where(succeeded())
    elif wanted.state == "FAILED":
        query = query.where(DagRun.state == "failed")
    found = session.scalars(query.limit(wanted.limit + 1)).all()
    shown = found[: wanted.limit]
    rows = [row for row in run_rows(session, shown) if is_in_period(row, wanted)]
    return RunsPage(tuple(rows), shown[-1].id if len(found) > wanted.limit else None)


def _page_of_derived(
    session: Session, wanted: RunsWanted, readable: Collection[str] | None
) -> RunsPage:
    """Return the runs under way that are in the state; the page may be short and not the last."""
    from airflow.models.dagrun import DagRun

    query = runs_query(wanted, readable).where(DagRun.state.in_(UNDER_WAY))
    looked_at = session.scalars(query.limit(LOOKED_AT)).all()
    rows = [
        row
        for row in run_rows(session, looked_at)
        if is_in_state(row, wanted.state) and is_in_period(row, wanted)
    ]
    if len(rows) > wanted.limit:
        return RunsPage(tuple(rows[: wanted.limit]), rows[wanted.limit - 1].number)
    return RunsPage(tuple(rows), looked_at[-1].id if len(looked_at) == LOOKED_AT else None)


def is_in_state(row: RunRow, state: str | None) -> bool:
    """Say whether the run is in a state; `FETCHING_DATA` is that of any source."""
    return row.state == state or (state == FETCHING and row.state.startswith(f"{FETCHING}_"))


def is_in_period(row: RunRow, wanted: RunsWanted) -> bool:
    """Say whether the run's period lies within what is wanted.

    The query cannot tell it for a run whose `init` did not get so far: it knows no zones.
    """
    first, last, period = wanted.period_from, wanted.period_to, row.period
    if first is None and last is None:
        return True
    if period is None:
        return False
    is_late_enough = first is None or period >= first[: len(period)]
    return is_late_enough and (last is None or period[: len(last)] <= last)
