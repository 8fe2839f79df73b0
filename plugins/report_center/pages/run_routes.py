"""The pages of runs: the list, at `/reports/runs`, and one run."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Literal

from fastapi import APIRouter, Query, Request, Response

from report_center.api.asking import looked_up
from report_center.pages.acts import run_acts
from report_center.pages.asked import Name, RunsAsked
from report_center.pages.faults import NotThereError
from report_center.pages.formats import Formats
from report_center.pages.frame import frame_of
from report_center.pages.page_route import PageRoute
from report_center.pages.run_view import run_page
from report_center.pages.runs_view import runs_view
from report_center.pages.shell import page
from report_center.records.reports import report, reports
from report_center.records.run_list import runs
from report_center.records.run_page import progress, run_view
from reporting.airflow_edge.web_rights import DATA, RUNS, RightsDep

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from report_center.records.elsewhere import Elsewhere
    from report_center.records.progress import RunProgress
    from report_center.records.runs import RunRow

# Each is asked for by itself; a reader watches no more at once.
MOST_FOLLOWED = 5
router = APIRouter(route_class=PageRoute, include_in_schema=False, prefix="/runs")


@router.get("")
async def show_runs(
    request: Request, rights: RightsDep, asked: Annotated[RunsAsked, Query()]
) -> Response:
    """Show the runs that the user may read, the newest first."""

    def shown(session: "Session", elsewhere: "Elsewhere") -> Response:
        readable = rights.readable(RUNS)
        found = runs(session, elsewhere, asked.wanted, readable)
        known = reports(session, readable)
        fmt = Formats(frame_of(request).texts)
        view = runs_view(fmt, found, asked.wanted, known, _progress(session, found.runs))
        return page(request, "runs_lines.html" if asked.part else "runs.html", view=view)

    return await looked_up(shown)


def _progress(
    session: "Session", found: "Sequence[RunRow]"
) -> "dict[tuple[str, str], RunProgress]":
    under_way = [run for run in found if not run.is_over][:MOST_FOLLOWED]
    said = (progress(session, run.report, run.run_id) for run in under_way)
    return {(one.report, one.run_id): one for one in said if one is not None}


@router.get("/{name}/{run_id}")
async def show_run(
    request: Request,
    rights: RightsDep,
    name: Name,
    run_id: Name,
    part: Literal["run"] | None = None,
) -> Response:
    """Show one run; that of a report the user may not read is not there for them."""

    def shown(session: "Session", elsewhere: "Elsewhere") -> Response:
        found = (
            run_view(session, elsewhere, name, run_id) if rights.may("GET", name, RUNS) else None
        )
        if found is None:
            raise NotThereError("run", run_id)
        known = report(session, name)
        frame = frame_of(request)
        view = run_page(Formats(frame.texts), found, known.timezone if known else "UTC")
        return page(
            request,
            "run_body.html" if part else "run.html",
            view=view,
            may_download=rights.may("GET", name, DATA),
            acts=run_acts(frame, rights, found),
        )

    return await looked_up(shown)
