"""Reports: list and get."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Path, Query, Response
from pydantic import BaseModel, Field

from report_center.api.asking import answered, readable_report
from report_center.api.cursor import ReportCursor, name_in, report_cursor
from report_center.api.problems import problems
from report_center.api.report_models import ReportDetail, ReportList
from report_center.records.overview import today
from report_center.records.report_names import report_names
from reporting.airflow_edge.web_rights import PLAIN, RUNS, RightsDep
from reporting.core.service.dead_facts import LONGEST

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from report_center.records.elsewhere import Elsewhere

LARGEST_PAGE = 200
ReportName = Annotated[
    str, Path(max_length=LONGEST, pattern=PLAIN, description="name of the report")
]
router = APIRouter(prefix="/api/reports", tags=["reports"])


class ReportsAsked(BaseModel):
    """Which reports are asked for."""

    cursor: ReportCursor | None = None
    limit: Annotated[int, Field(ge=1, le=LARGEST_PAGE)] = LARGEST_PAGE


@router.get(
    "", summary="Reports, with their last run", response_model=ReportList, responses=problems()
)
async def list_reports(rights: RightsDep, asked: Annotated[ReportsAsked, Query()]) -> Response:
    """Return one page of the reports whose runs you may read: how each does, and has done."""

    def look(session: "Session", elsewhere: "Elsewhere") -> Any:
        readable, beyond = rights.readable(RUNS), name_in(asked.cursor)
        names = report_names(session, readable, beyond, asked.limit + 1)
        shown = names[: asked.limit]
        found = today(session, elsewhere, datetime.now(UTC), shown)
        rows = sorted(found.rows, key=lambda row: shown.index(row.report.name))
        cursor = report_cursor(shown[-1] if len(names) > asked.limit else None)
        return {"reports": rows, "next_cursor": cursor, "unseen": found.unseen}

    return await answered(ReportList, look)


@router.get(
    "/{report}",
    summary="One report, with its definition",
    response_model=ReportDetail,
    responses=problems(404),
)
async def show_report(rights: RightsDep, report: ReportName) -> Response:
    """Return one report."""
    return await answered(ReportDetail, lambda session, _: readable_report(session, rights, report))
