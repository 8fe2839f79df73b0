"""Which run does the work of a run: of a duplicate the one it points to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from report_center.records.run_list import one_row
from report_center.records.run_steps import left_by
from reporting.core.airflow_names import DUPLICATE_OF
from reporting.core.states import INIT

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from report_center.records.runs import RunRow

MOST_HOPS = 5  # a duplicate of a duplicate points to the end at once; more would be a circle


def worked_run(session: Session, report: str, run_id: str) -> RunRow | None:
    """Return the run that does the work, or None when there is no such run.

    A duplicate whose other run was deleted is returned itself.
    """
    found = one_row(session, report, run_id)
    for _ in range(MOST_HOPS):
        if found is None or not found.is_duplicate:
            return found
        other = left_by(session, found.number).get((INIT, DUPLICATE_OF))
        after = None if other is None else one_row(session, report, str(other))
        if after is None:
            return found
        found = after
    return found
