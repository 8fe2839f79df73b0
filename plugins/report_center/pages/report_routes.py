"""The page of one report, at `/reports/report/NAME`."""

from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Query, Request, Response

from report_center.api.asking import looked_up
from report_center.pages.acts import report_acts, version_acts
from report_center.pages.asked import Name, VersionsAsked
from report_center.pages.faults import NotThereError
from report_center.pages.formats import Formats
from report_center.pages.frame import frame_of
from report_center.pages.page_route import PageRoute
from report_center.pages.report_view import report_page
from report_center.pages.shell import page
from report_center.records.reports import report
from report_center.records.versions import VersionsPage, versions
from reporting.airflow_edge.web_rights import RightsDep

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from report_center.records.elsewhere import Elsewhere

router = APIRouter(route_class=PageRoute, include_in_schema=False, prefix="/report")


@router.get("/{name}")
async def show_report(
    request: Request, rights: RightsDep, name: Name, asked: Annotated[VersionsAsked, Query()]
) -> Response:
    """Show one report; one that the user may not read is not there for them."""

    def shown(session: "Session", elsewhere: "Elsewhere") -> Response:
        found = report(session, name) if rights.may("GET", name) else None
        if found is None:
            raise NotThereError("report", name)
        published = elsewhere.warehouse(
            lambda at: versions(at, name, asked.period, asked.before), VersionsPage()
        )
        frame = frame_of(request)
        return page(
            request,
            "report.html",
            view=report_page(Formats(frame.texts), found, published, elsewhere.unseen),
            asked=asked,
            acts=() if found.is_gone else report_acts(frame, rights, name),
            version_acts=version_acts(frame, rights, name, published.rows),
        )

    return await looked_up(shown)
