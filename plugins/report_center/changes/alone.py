"""Holds off others who would change the same at the same moment, in any API server."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from report_center.records.opened import looking
from report_center.records.run_list import one_row
from reporting.airflow_edge.own_threads import in_own_thread
from reporting.core.airflow_api import ConflictError

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from report_center.records.runs import RunRow

POSTGRES = "postgresql"
DATABASE = "Airflow's database"


@asynccontextmanager
async def alone_with(report: str, run_id: str) -> AsyncIterator[RunRow]:
    """Give a run as it is now, while nobody else changes it in such a block.

    The lock is one of Airflow's database. Another kind than PostgreSQL has none such: there, of
    two that press in the same instant, Airflow does both.

    Raises:
        ConflictError: somebody does, or the run is gone.
    """
    session = await in_own_thread(DATABASE, _locked, f"{report}\n{run_id}")
    try:
        run = await in_own_thread(DATABASE, _as_it_is, report, run_id)
        if run is None:
            raise ConflictError(f"Run {run_id!r} was deleted meanwhile.")
        yield run
    finally:
        await in_own_thread(DATABASE, session.close)


def _as_it_is(report: str, run_id: str) -> RunRow | None:
    with looking() as (session, _):
        return one_row(session, report, run_id)


def _locked(what: str) -> Session:
    from airflow import settings

    open_session: Any = settings.NonScopedSession  # None until Airflow has set itself up
    session: Session = open_session()
    try:
        _lock(session, what)
    except BaseException:
        session.close()
        raise
    return session


def _lock(session: Session, what: str) -> None:
    from sqlalchemy import func, select

    if session.get_bind().dialect.name != POSTGRES:
        return
    key = func.hashtextextended(what, 0)
    if not session.scalar(select(func.pg_try_advisory_xact_lock(key))):
        raise ConflictError("Somebody else changes the same at this moment; look again.")
