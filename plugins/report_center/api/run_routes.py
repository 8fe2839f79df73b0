"""Runs: list, get, and how far one is."""

import re
from datetime import date
from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, Response
from pydantic import AfterValidator, BaseModel, Field

from report_center.api.asking import answered, no_such_run
from report_center.api.cursor import RunCursor, number_in, run_cursor
from report_center.api.problems import problems
from report_center.api.release_models import RunDetail
from report_center.api.report_routes import ReportName
from report_center.api.run_models import Progress, RunList
from report_center.records.run_list import runs
from report_center.records.run_page import progress, run_view
from report_center.records.runs import RunsWanted
from reporting.airflow_edge.web_rights import PLAIN, RUNS, RightsDep, Text
from reporting.core.service.dead_facts import LONGEST

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from report_center.records.elsewhere import Elsewhere

LARGEST_PAGE = 200
MONTH = len("2013-01")
How = Literal["ui", "rest_api", "cli", "timetable", "asset", "backfill", "operator", "test"]
RunName = Annotated[str, Path(max_length=LONGEST, pattern=PLAIN, description="Airflow's run id")]
STATES = (
    "INIT",
    "FETCHING_DATA",
    "FETCHING_DATA_<SOURCE>",
    "DATA_AGGREGATED",
    "CALCULATING",
    "STORING_RESULT",
    "SUCCESS",
    "COMPENSATING",
    "FAILED",
)
_OF_SOURCE = re.compile(r"FETCHING_DATA_[A-Z0-9_]{1,100}")
_PERIOD = re.compile(r"[0-9]{4}-[0-9]{2}(-[0-9]{2})?")


def _state(text: str) -> str:
    if text not in STATES and not _OF_SOURCE.fullmatch(text):
        raise ValueError(f"is no state; allowed: {', '.join(STATES)}")
    return text


def _period(text: str) -> str:
    try:
        date.fromisoformat(text if len(text) > MONTH else f"{text}-01")
    except ValueError:
        is_period = False
    else:
        is_period = _PERIOD.fullmatch(text) is not None
    if not is_period:
        raise ValueError(
            "is no period; allowed: a day such as 2013-07-04, or a month such as 2013-07"
        )
    return text


RunState = Annotated[
    str,
    Field(
        description=f"only in this state: {', '.join(STATES)}; `FETCHING_DATA` stands for that of "
        "any source"
    ),
    AfterValidator(_state),
]
PeriodKey = Annotated[str, Field(examples=["2013-07-04", "2013-07"]), AfterValidator(_period)]


class RunsAsked(BaseModel):
    """Which runs are asked for."""

    report: Text | None = Field(None, description="only of this report")
    state: RunState | None = None
    period_from: PeriodKey | None = Field(None, description="only of this period or later ones")
    period_to: PeriodKey | None = Field(None, description="only of this period or earlier ones")
    triggered_by: Text | None = Field(None, description="only those this user has triggered")
    how: How | None = Field(None, description="only those started so")
    cursor: RunCursor | None = None
    limit: Annotated[int, Field(ge=1, le=LARGEST_PAGE)] = 50

    @property
    def wanted(self) -> RunsWanted:
        """The same, as the records take it."""
        given = self.model_dump(exclude={"cursor"})
        return RunsWanted(**given, before=number_in(self.cursor))


router = APIRouter(prefix="/api", tags=["runs"])


@router.get("/runs", summary="Runs, the newest first", response_model=RunList, responses=problems())
async def list_runs(rights: RightsDep, asked: Annotated[RunsAsked, Query()]) -> Response:
    """Return one page of the runs you may read.

    A page may have fewer runs than `limit` and still not be the last one: go on while there is a
    `next_cursor`.
    """

    def look(session: "Session", elsewhere: "Elsewhere") -> Any:
        page = runs(session, elsewhere, asked.wanted, rights.readable(RUNS))
        cursor = run_cursor(page.next_before)
        return {"runs": page.runs, "next_cursor": cursor, "unseen": page.unseen}

    return await answered(RunList, look)


@router.get(
    "/reports/{report}/runs/{run_id}",
    summary="Everything about one run",
    response_model=RunDetail,
    responses=problems(404),
)
async def show_run(rights: RightsDep, report: ReportName, run_id: RunName) -> Response:
    """Return one run: its states, steps, sources, release, deliveries, and why it failed."""

    def look(session: "Session", elsewhere: "Elsewhere") -> Any:
        may_read = rights.may("GET", report, RUNS)
        found = run_view(session, elsewhere, report, run_id) if may_read else None
        if found is None:
            raise no_such_run(report, run_id)
        return found

    return await answered(RunDetail, look)


@router.get(
    "/reports/{report}/runs/{run_id}/progress",
    summary="How far one run is",
    response_model=Progress,
    responses=problems(404),
)
async def show_progress(rights: RightsDep, report: ReportName, run_id: RunName) -> Response:
    """Return the state, what the running steps say, and when it is expected to end."""

    def look(session: "Session", _: "Elsewhere") -> Any:
        found = progress(session, report, run_id) if rights.may("GET", report, RUNS) else None
        if found is None:
            raise no_such_run(report, run_id)
        return found

    return await answered(Progress, look)
