"""The names of reports, page by page."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from report_center.records.reports import is_report

if TYPE_CHECKING:
    from sqlalchemy.orm import Session


def report_names(
    session: Session, readable: Collection[str] | None, beyond: str | None, limit: int
) -> list[str]:
    """Return the names of reports in their order.

    Args:
        session: of Airflow's database.
        readable: names that may be read; None for all.
        beyond: only those that come after this name; None for all.
        limit: how many at most.
    """
    from airflow.models.dag import DagModel
    from sqlalchemy import select

    name: Any = DagModel.__table__.c.dag_id
    query = select(name).where(is_report()).order_by(name).limit(limit)
    if readable is not None:
        query = query.where(name.in_(sorted(readable)))
    if beyond is not None:
        query = query.where(name > beyond)
    return list(session.scalars(query))
