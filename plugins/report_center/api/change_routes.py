"""Run a run again, or cancel it, with the rights of whoever sends this."""

from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Body, Response

from report_center.api.asking import answer, looked_up, no_such_run, readable_report, readable_run
from report_center.api.change_models import Rerun, RerunAsked
from report_center.api.problems import problems
from report_center.api.report_routes import ReportName
from report_center.api.run_models import Run
from report_center.api.run_routes import RunName
from report_center.as_user import User
from report_center.changes.cancel import cancel, demand_under_way
from report_center.changes.rerun import clear, rerun_of, would_clear
from report_center.records.run_page import run_view
from reporting.airflow_edge.web_rights import CHANGING, RightsDep, demand_may_change

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from report_center.changes.rerun import Rerun as Order
    from report_center.records.elsewhere import Elsewhere

Asked = Annotated[RerunAsked | None, Body()]
router = APIRouter(prefix="/api/reports", tags=["runs"])


@router.post(
    "/{report}/runs/{run_id}/rerun",
    summary="Run a run again",
    response_model=Rerun,
    dependencies=CHANGING,
    responses=problems(404, 409),
)
async def rerun_run(
    rights: RightsDep, user: User, report: ReportName, run_id: RunName, asked: Asked = None
) -> Response:
    """Clear what failed, or all, in the same run; the next figures are a new version.

    A run that works is left alone: it is refused with status 409, so of two who ask at once only
    one runs it again.
    """
    wanted = asked or RerunAsked.model_validate({})

    def look(session: "Session", elsewhere: "Elsewhere") -> "Order":
        found = readable_report(session, rights, report)
        view = run_view(session, elsewhere, report, run_id)
        if view is None:
            raise no_such_run(report, run_id)
        demand_may_change(rights, report)
        return rerun_of(found, view, wanted.part, wanted.seen)

    order = await looked_up(look)
    tasks = await (would_clear if wanted.dry_run else clear)(user, order)
    told = {"report": report, "run_id": run_id, "tasks": tasks, "is_done": not wanted.dry_run}
    return answer(Rerun, told)


@router.post(
    "/{report}/runs/{run_id}/cancel",
    summary="Cancel a run",
    response_model=Run,
    dependencies=CHANGING,
    responses=problems(404, 409),
)
async def cancel_run(
    rights: RightsDep, user: User, report: ReportName, run_id: RunName
) -> Response:
    """Mark a run failed; what it works on is stopped.

    The janitor undoes what it left, within minutes. Figures it has published already stay.
    """

    def look(session: "Session", _: "Elsewhere") -> Any:
        run = readable_run(session, rights, report, run_id)
        demand_may_change(rights, report)
        return run

    demand_under_way(await looked_up(look))
    await cancel(user, report, run_id)
    return answer(Run, await looked_up(lambda s, _: readable_run(s, rights, report, run_id)))
