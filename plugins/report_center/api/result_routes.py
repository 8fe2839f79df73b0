"""Wait for a result: the answer comes when the run is over, or when the wait is."""

import asyncio
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Query, Request, Response

from report_center.api.asking import answered, looked_up, no_such_run, readable_run
from report_center.api.problems import problems
from report_center.api.release_models import Result
from report_center.api.report_routes import ReportName
from report_center.api.run_routes import RunName
from report_center.records.already import release_of_same
from report_center.records.run_page import run_view
from report_center.records.worked import worked_run
from reporting.airflow_edge.web_rights import RightsDep

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from report_center.records.elsewhere import Elsewhere

LONGEST_WAIT = 60
FIRST_PAUSE, LONGEST_PAUSE, SLOWER = 0.5, 3.0, 1.3
Wait = Annotated[
    int, Query(ge=0, le=LONGEST_WAIT, description="seconds to wait at most for the end of the run")
]
router = APIRouter(prefix="/api/reports", tags=["runs"])


@router.get(
    "/{report}/runs/{run_id}/result",
    summary="Wait for what comes of a run",
    response_model=Result,
    responses=problems(404),
)
async def wait_for_result(
    request: Request, rights: RightsDep, report: ReportName, run_id: RunName, wait: Wait = 0
) -> Response:
    """Return the result once the run is over, or how it stands when the wait is.

    A duplicate is followed to the run that does the same. Nothing is held while it waits: a look
    every few seconds is all it costs.
    """
    await looked_up(lambda session, _: readable_run(session, rights, report, run_id))
    until = monotonic() + wait
    pause = FIRST_PAUSE
    while not await _is_over(report, run_id) and (left := until - monotonic()) > 0:
        if await request.is_disconnected():
            break
        await asyncio.sleep(min(pause, left))
        pause = min(pause * SLOWER, LONGEST_PAUSE)
    return await answered(Result, lambda s, e: _result(s, e, report, run_id))


async def _is_over(report: str, run_id: str) -> bool:
    """Say whether waiting helps no more; a run that is deleted meanwhile is over, too."""
    run = await looked_up(lambda session, _: worked_run(session, report, run_id))
    return run is None or run.is_over


def _result(session: "Session", elsewhere: "Elsewhere", report: str, run_id: str) -> dict[str, Any]:
    run = worked_run(session, report, run_id)
    found = None if run is None else run_view(session, elsewhere, report, run.run_id)
    if found is None:
        raise no_such_run(report, run_id)
    release = found.release
    if release is None and found.run.is_duplicate:  # who has published it was deleted
        release = release_of_same(session, elsewhere, found.run)
    return {
        "run": found.run,
        "asked_for": run_id,
        "is_over": found.run.is_over,
        "release": release,
        "answered_by": found.answered_by,
        "failure": found.failure,
        "unseen": found.unseen,
    }
