"""The page of one report, at `/reports/report/NAME`."""

from typing import TYPE_CHECKING

from fastapi import APIRouter, Request, Response

from report_center.api.asking import looked_up
from report_center.pages.acts import report_acts, version_acts
from report_center.pages.asked import Name
from report_center.pages.faults import NotThereError
from report_center.pages.formats import Formats
from report_center.pages.frame import frame_of
from report_center.pages.page_route import PageRoute
from report_center.pages.report_view import report_page
from report_center.pages.shell import page
from report_center.records.releases import ReleaseRow, ReleasesWanted, releases
from report_center.records.reports import report
from report_center.records.versions import with_differences
from reporting.airflow_edge.web_rights import RightsDep

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from report_center.records.elsewhere import Elsewhere

SHOWN = 30
# Behind those that are shown, so that the last of them can be compared as well.
LOOKED_AT = 3 * SHOWN
router = APIRouter(route_class=PageRoute, include_in_schema=False, prefix="/report")


@router.get("/{name}")
async def show_report(request: Request, rights: RightsDep, name: Name) -> Response:
    """Show one report; one that the user may not read is not there for them."""

    def shown(session: "Session", elsewhere: "Elsewhere") -> Response:
        found = report(session, name) if rights.may("GET", name) else None
        if found is None:
            raise NotThereError("report", name)
        wanted = ReleasesWanted(report=name, limit=LOOKED_AT)
        nothing: list[ReleaseRow] = []
        published = elsewhere.warehouse(lambda at: releases(at, wanted), nothing)
        versions = with_differences(published)[:SHOWN]
        frame = frame_of(request)
        view = report_page(Formats(frame.texts), found, versions, elsewhere.unseen)
        acts = report_acts(frame, rights, name)
        of_versions = version_acts(frame, rights, name, published)
        return page(request, "report.html", view=view, acts=acts, version_acts=of_versions)

    return await looked_up(shown)
