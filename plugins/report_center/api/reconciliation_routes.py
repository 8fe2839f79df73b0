"""The web routes of reconciliation, `/reports/api/reconciliation`: look, and repair.

A comparison reads whole tables, so only a few go on at once; who comes then is told so.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from threading import BoundedSemaphore
from typing import Annotated

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel, Field

from report_center.api.asking import answer
from report_center.api.problems import problems
from report_center.api.reconciliation_models import Differences, Repaired
from report_center.changes.audit import note
from reporting.airflow_edge.own_threads import in_own_thread
from reporting.airflow_edge.reconciliation import installation
from reporting.airflow_edge.runs_in_database import standing_in_database
from reporting.airflow_edge.web_rights import (
    CHANGING,
    RightsDep,
    Text,
    demand,
    demand_may_change,
    whose,
)
from reporting.core.reconcile.difference import DAYS, GRACE, MOST_DAYS, Findings, Scope
from reporting.core.reconcile.installation import Installation
from reporting.core.reconcile.passes import reconcile, repair
from reporting.errors import TransientError

MOST_MINUTES = 60 * 24 * MOST_DAYS
AT_ONCE = 2
PLACE = "reconciliation"
_going_on = BoundedSemaphore(AT_ONCE)
router = APIRouter(prefix="/api/reconciliation", tags=["reconciliation"])


class Asked(BaseModel):
    """What is to be compared."""

    report: Text | None = Field(None, description="only of this report")
    run_id: Text | None = Field(None, description="only of this run of Airflow")
    days: Annotated[int, Field(ge=1, le=MOST_DAYS)] = Field(
        DAYS, description="releases published within so many days"
    )
    grace_minutes: Annotated[int, Field(ge=0, le=MOST_MINUTES)] = Field(
        int(GRACE.total_seconds() // 60),
        description="what has ended, or was written, within so many minutes is let be",
    )

    @property
    def scope(self) -> Scope:
        """The same, as the core takes it."""
        grace = timedelta(minutes=self.grace_minutes)
        return Scope(self.report, self.run_id, self.days, grace)


@router.get("", summary="What differs now", response_model=Differences, responses=problems())
async def look(rights: RightsDep, asked: Annotated[Asked, Query()]) -> Response:
    """Compare what was published with what is there, and return what differs; nothing is changed.

    Without `report` one must be allowed to see every DAG and the broker's connection. While
    others compare, the answer may be status 503.
    """

    def looked() -> Response:
        demand(rights.may("GET", asked.report), f"see {whose(asked.report)}")
        with _in_turn() as here:
            return answer(Differences, reconcile(here, asked.scope))

    return await in_own_thread(PLACE, looked)


@router.post(
    "/repair",
    summary="Repair what differs",
    response_model=Repaired,
    dependencies=CHANGING,
    responses=problems(409),
)
async def mend(rights: RightsDep, asked: Asked) -> Response:
    """Repair what rules allow; return what was repaired, and what differs after that."""

    def mended() -> Response:
        demand_may_change(rights, asked.report)
        with _in_turn() as here:
            found = reconcile(here, asked.scope)
            done = repair(here, asked.scope, found.differences)
            facts = {"run_id": asked.run_id, "repaired": len(done.differences)}
            note(rights.name, "repair_reports", asked.report, facts)
            left = reconcile(here, asked.scope)
        unseen = _all(done, left)
        told = {"repaired": done.differences, "differences": left.differences, "unseen": unseen}
        return answer(Repaired, told)

    return await in_own_thread(PLACE, mended)


@contextmanager
def _in_turn() -> Iterator[Installation]:
    """Open what is compared, unless others compare.

    Raises:
        TransientError: they do.
    """
    if not _going_on.acquire(blocking=False):
        raise TransientError(f"{AT_ONCE} comparisons go on already; try again in a minute.")
    try:
        with installation(standing_in_database) as here:
            yield here
    finally:
        _going_on.release()


def _all(done: Findings, left: Findings) -> list[str]:
    return list(dict.fromkeys([*done.unseen, *left.unseen]))
