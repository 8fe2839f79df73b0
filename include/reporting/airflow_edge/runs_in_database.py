"""Looks for runs from inside the API server, which alone may read Airflow's database."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reporting.airflow_edge.run_context import UNDER_WAY, identity_of
from reporting.airflow_edge.run_standing import standing_in

if TYPE_CHECKING:
    from airflow.models.dagrun import DagRun

    from reporting.core.reconcile.installation import Standing
    from reporting.core.run import RunId


def run_under_way(run: RunId) -> RunId | None:
    """Return a run in the life it is in now, or None when it works no more."""
    found = _dag_run(run)
    return identity_of(found) if found is not None and found.state in UNDER_WAY else None


def standing_in_database(run: RunId) -> Standing | None:
    """Return what Airflow knows of a run, or None when it knows none."""
    found = _dag_run(run)
    return None if found is None else standing_in(found)


def _dag_run(run: RunId) -> DagRun | None:
    from airflow.models.dagrun import DagRun
    from airflow.utils.session import create_session
    from sqlalchemy import select

    wanted = select(DagRun).where(DagRun.dag_id == run.report, DagRun.run_id == run.run_id)
    with create_session(scoped=False) as session:
        return session.scalar(wanted)
