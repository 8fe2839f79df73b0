"""The web routes of reconciliation, `/reports/api/reconciliation`: look, and repair."""

from asyncio import to_thread
from dataclasses import asdict
from datetime import timedelta
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from report_center.changes.audit import note
from reporting.airflow_edge.reconciliation import installation
from reporting.airflow_edge.runs_in_database import standing_in_database
from reporting.airflow_edge.web_rights import CHANGING, RUNS, RightsDep, Text, demand
from reporting.core.reconcile.difference import DAYS, GRACE, MOST_DAYS, Findings, Scope
from reporting.core.reconcile.passes import reconcile, repair

MOST_MINUTES = 60 * 24 * MOST_DAYS
router = APIRouter(prefix="/api/reconciliation")


class Asked(BaseModel):
    """What is to be compared."""

    report: Text | None = None
    run_id: Text | None = None
    days: Annotated[int, Field(ge=1, le=MOST_DAYS)] = DAYS
    grace_minutes: Annotated[int, Field(ge=0, le=MOST_MINUTES)] = int(GRACE.total_seconds() // 60)

    @property
    def scope(self) -> Scope:
        """The same, as the core takes it."""
        grace = timedelta(minutes=self.grace_minutes)
        return Scope(self.report, self.run_id, self.days, grace)


@router.get("")
async def look(rights: RightsDep, asked: Annotated[Asked, Query()]) -> dict[str, Any]:
    """Return what differs now; nothing is changed."""

    def looked() -> dict[str, Any]:
        demand(rights.may("GET", asked.report), f"see {_of(asked.report)}")
        with installation(standing_in_database) as here:
            return _json(reconcile(here, asked.scope))

    return await to_thread(looked)


@router.post("/repair", dependencies=CHANGING)
async def mend(rights: RightsDep, asked: Asked) -> dict[str, Any]:
    """Repair what rules allow; return what was repaired, and what differs after that."""

    def mended() -> dict[str, Any]:
        demand(rights.may("PUT", asked.report, RUNS), f"change the runs of {_of(asked.report)}")
        with installation(standing_in_database) as here:
            found = reconcile(here, asked.scope)
            done = repair(here, asked.scope, found.differences)
            facts = {"run_id": asked.run_id, "repaired": len(done.differences)}
            note(rights.name, "repair_reports", asked.report, facts)
            left = reconcile(here, asked.scope)
        repaired = [asdict(one) for one in done.differences]
        return {"repaired": repaired, **_json(Findings(left.differences, _all(done, left)))}

    return await to_thread(mended)


def _all(done: Findings, left: Findings) -> list[str]:
    return list(dict.fromkeys([*done.unseen, *left.unseen]))


def _json(found: Findings) -> dict[str, Any]:
    differences = [asdict(one) for one in found.differences]
    return {"differences": differences, "unseen": list(found.unseen)}


def _of(report: str | None) -> str:
    return f"report {report!r}" if report else "every report, and the connections"
