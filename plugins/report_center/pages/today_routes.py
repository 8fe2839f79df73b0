"""The page *Today*, at `/reports/`."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Query, Request, Response

from report_center.api.asking import looked_up
from report_center.pages.asked import TodayAsked
from report_center.pages.formats import Formats
from report_center.pages.frame import frame_of
from report_center.pages.page_route import PageRoute
from report_center.pages.shell import page
from report_center.pages.today_view import today_view
from report_center.records.overview import today, with_took
from reporting.airflow_edge.web_rights import RUNS, RightsDep

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from report_center.records.elsewhere import Elsewhere

router = APIRouter(route_class=PageRoute, include_in_schema=False)


@router.get("/")
async def show_today(
    request: Request, rights: RightsDep, asked: Annotated[TodayAsked, Query()]
) -> Response:
    """Show every report that the user may read."""

    def shown(session: "Session", elsewhere: "Elsewhere") -> Response:
        now = datetime.now(UTC)
        found = today(session, elsewhere, now, rights.readable(RUNS))
        names = [row.report.name for row in asked.sought.shown(found)]
        found = with_took(session, found, names, now)
        fmt = Formats(frame_of(request).texts)
        view = today_view(fmt, found, asked.sought, now.date())
        return page(request, "today_lines.html" if asked.part else "today.html", view=view)

    return await looked_up(shown)
