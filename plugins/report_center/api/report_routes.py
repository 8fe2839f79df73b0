"""Reports: list and get."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Path, Response

from report_center.api.asking import answered, readable_report
from report_center.api.problems import problems
from report_center.api.report_models import ReportDetail, ReportList
from report_center.records.overview import today
from reporting.airflow_edge.web_rights import RightsDep
from reporting.core.service.dead_facts import LONGEST

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from report_center.records.elsewhere import Elsewhere

PLAIN = r"^[^\x00]*$"
ReportName = Annotated[
    str, Path(max_length=LONGEST, pattern=PLAIN, description="name of the report")
]
router = APIRouter(prefix="/api/reports", tags=["reports"])


@router.get(
    "", summary="Every report, with its last run", response_model=ReportList, responses=problems()
)
async def list_reports(rights: RightsDep) -> Response:
    """Return every report you may read: last and next run, on time or late, last 30 days."""

    def look(session: "Session", elsewhere: "Elsewhere") -> Any:
        return today(session, elsewhere, datetime.now(UTC), rights.readable())

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
