"""The page *Health*, at `/reports/health`."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from fastapi import APIRouter, Request, Response

from report_center.api.asking import looked_up
from report_center.pages.frame import frame_of
from report_center.pages.health_view import health_page
from report_center.pages.page_route import PageRoute
from report_center.pages.shell import page
from report_center.records.wellbeing import health
from reporting.airflow_edge.web_rights import RUNS, RightsDep

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from report_center.records.elsewhere import Elsewhere

router = APIRouter(route_class=PageRoute, include_in_schema=False)


@router.get("/health")
async def show_health(request: Request, rights: RightsDep) -> Response:
    """Show what has piled up, is late or stands still, of the reports the user may read."""

    def shown(session: "Session", elsewhere: "Elsewhere") -> Response:
        found = health(session, elsewhere, datetime.now(UTC), rights.readable(RUNS))
        return page(request, "health.html", view=health_page(frame_of(request).texts, found))

    return await looked_up(shown)
