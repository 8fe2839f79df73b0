"""Roll readers back to a version of a period, or withdraw the one they see."""

from typing import Annotated

from fastapi import APIRouter, Body, Response

from report_center.api.asking import RELEASES, answer
from report_center.api.change_models import PointerAsked
from report_center.api.problems import problems
from report_center.api.release_models import Release
from report_center.api.release_routes import ReleaseId, readable_release, releases_opened
from report_center.changes.pointer import Move, moved
from reporting.airflow_edge.own_threads import in_own_thread
from reporting.airflow_edge.web_rights import CHANGING, Rights, RightsDep, demand_may_change

Asked = Annotated[PointerAsked | None, Body()]
router = APIRouter(prefix="/api/releases", tags=["releases"])


@router.post(
    "/{release_id}/roll-back",
    summary="Let readers see this version",
    response_model=Release,
    dependencies=CHANGING,
    responses=problems(404, 409),
)
async def roll_back(rights: RightsDep, release_id: ReleaseId, asked: Asked = None) -> Response:
    """Show this version in place of the one readers see; no row is touched.

    The next publish of the period makes the next version, and readers see that. It is noted who
    did it. If it is what readers see already, the answer is status 409.
    """
    return await in_own_thread(RELEASES, _moved, "roll-back", rights, release_id, asked)


@router.post(
    "/{release_id}/withdraw",
    summary="Let readers see this version no more",
    response_model=Release,
    dependencies=CHANGING,
    responses=problems(404, 409),
)
async def withdraw(rights: RightsDep, release_id: ReleaseId, asked: Asked = None) -> Response:
    """Show nothing of the period in place of this version; no row is touched.

    Rolling back to any version shows that again, and so does the next publish. It is noted who
    did it. If readers do not see it, the answer is status 409.
    """
    return await in_own_thread(RELEASES, _moved, "withdraw", rights, release_id, asked)


def _moved(move: Move, rights: Rights, release_id: int, asked: PointerAsked | None) -> Response:
    with releases_opened() as warehouse:
        found = readable_release(warehouse, rights, release_id)
        demand_may_change(rights, found.report)
        moved(move, release_id, rights.name, asked.seen if asked else None)
        return answer(Release, readable_release(warehouse, rights, release_id))
