"""Trigger a run: checked before it is made, and answered with the run there is, if there is one."""

from http import HTTPStatus
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Depends, Header, Request, Response

from report_center.api.asking import answer, looked_up
from report_center.api.problems import problems
from report_center.api.report_routes import ReportName
from report_center.api.trigger_models import LONGEST_KEY, Trigger, Triggered
from report_center.api.triggering import Wish, answered_before, made, run_id_of
from report_center.as_user import User
from report_center.records.asked import Asked
from reporting.airflow_edge.web_rights import CHANGING, RightsDep

Key = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        min_length=1,
        max_length=LONGEST_KEY,
        description="any text of your own: sent again, it gives the run it has made",
    ),
]
CREATED = HTTPStatus.CREATED
MADE: dict[int | str, dict[str, Any]] = {
    201: {"model": Triggered, "description": "A run was made."}
}


def wish_of(rights: RightsDep, report: ReportName, body: Trigger, key: Key = None) -> Wish:
    """Return what a request asks for."""
    run_id = None if key is None else run_id_of(rights.name, report, key)
    return Wish(rights, report, Asked(body.period, body.params, body.refresh), run_id)


WishDep = Annotated[Wish, Depends(wish_of)]
router = APIRouter(prefix="/api/reports", tags=["runs"])


@router.post(
    "/{report}/runs",
    summary="Trigger a run",
    response_model=Triggered,
    dependencies=CHANGING,
    responses={**problems(400, 404, 409), **MADE},
)
async def trigger_run(request: Request, user: User, wish: WishDep) -> Response:
    """Make a run of a report, with the rights of whoever sends this.

    Nothing is made when a param is not allowed, nor when a run answers already; that run is the
    answer then, with status 200.
    """
    found = await looked_up(lambda session, at: answered_before(session, at, wish))
    if found is None:
        found = await made(user, wish)
    response = answer(Triggered, found, CREATED if found.answer == "created" else HTTPStatus.OK)
    if found.run is not None:
        place = f"{request.scope.get('root_path', '')}/api/reports/{quote(wish.report, safe='')}"
        response.headers["Location"] = f"{place}/runs/{quote(found.run.run_id, safe='')}"
    return response
