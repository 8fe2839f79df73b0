"""The pages that roll back to a version or withdraw it, at `/reports/releases/ID/…`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from fastapi import APIRouter, Request, Response

from report_center.actions.asking import Form, gone_on, texts_in, whole_number
from report_center.api.asking import RELEASES, looked_up
from report_center.api.release_routes import ReleaseId, releases_opened, seen_release
from report_center.changes.pointer import Move, moved
from report_center.pages.faults import NotThereError
from report_center.pages.frame import frame_of
from report_center.pages.page_route import PageRoute
from report_center.pages.plain_values import plain_text
from report_center.pages.shell import page
from report_center.pages.texts import Texts
from report_center.records.releases import ReleaseRow
from report_center.records.reports import report
from reporting.airflow_edge.own_threads import in_own_thread
from reporting.airflow_edge.web_rights import CHANGING, Rights, RightsDep, demand_may_change
from reporting.core.warehouse.pointer import (
    PointerError,
    Shown,
    newest,
    shown_at,
    target_of,
)

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from report_center.records.elsewhere import Elsewhere

SEEN = "seen"
router = APIRouter(route_class=PageRoute, include_in_schema=False, prefix="/releases/{release_id}")


@router.get("/roll-back")
async def ask_to_roll_back(request: Request, rights: RightsDep, release_id: ReleaseId) -> Response:
    """Say what readers would see, and ask."""
    return await _ask(request, rights, "roll-back", release_id)


@router.post("/roll-back", dependencies=CHANGING)
async def roll_back(
    request: Request, rights: RightsDep, release_id: ReleaseId, form: Form
) -> Response:
    """Do it, and go back to the report."""
    return await in_own_thread(RELEASES, _move, request, rights, "roll-back", release_id, form)


@router.get("/withdraw")
async def ask_to_withdraw(request: Request, rights: RightsDep, release_id: ReleaseId) -> Response:
    """Say what readers would see, and ask."""
    return await _ask(request, rights, "withdraw", release_id)


@router.post("/withdraw", dependencies=CHANGING)
async def withdraw(
    request: Request, rights: RightsDep, release_id: ReleaseId, form: Form
) -> Response:
    """Do it, and go back to the report."""
    return await in_own_thread(RELEASES, _move, request, rights, "withdraw", release_id, form)


def _move(request: Request, rights: Rights, move: Move, release_id: int, form: Form) -> Response:
    found, _ = _changeable(rights, release_id)
    moved(move, release_id, rights.name, whole_number(texts_in(form).get(SEEN, "")))
    return gone_on(request, move.replace("-", "_"), "report", found.report)


async def _ask(request: Request, rights: Rights, move: Move, release_id: int) -> Response:
    def asked(session: "Session", _: "Elsewhere") -> Response:
        found, shown = _changeable(rights, release_id)
        demand_possible(move, found, shown)
        known = report(session, found.report)
        return _page(request, move, found, shown, known.title if known else found.report)

    return await looked_up(asked)


def _changeable(rights: Rights, release_id: int) -> tuple[ReleaseRow, list[Shown]]:
    """Return a release, and what readers see in its place."""
    with releases_opened() as warehouse:
        found = seen_release(warehouse, rights, release_id)
        if warehouse is None or found is None:
            raise NotThereError("release", str(release_id))
        demand_may_change(rights, found.report)
        return found, shown_at(warehouse, target_of(warehouse, release_id))


def demand_possible(move: Move, found: ReleaseRow, shown: Sequence[Shown]) -> None:
    """Refuse what would change nothing, before anybody is asked.

    Raises:
        PointerError: readers see the version already, or do not see it.
    """
    is_only = [one.release_id for one in shown] == [found.release_id]
    if move == "roll-back" and is_only:
        raise PointerError(f"Version {found.version} is what readers see already.")
    if move == "withdraw" and not found.is_current:
        raise PointerError(f"Version {found.version} is not what readers see.")


def _page(
    request: Request, move: Move, found: ReleaseRow, shown: Sequence[Shown], title: str
) -> Response:
    frame = frame_of(request)
    texts, key = frame.texts, move.replace("-", "_")
    what = {"title": title, "period": found.period, "version": found.version}
    return page(
        request,
        "confirm.html",
        title=texts(f"{key}.title", **what),
        happens=[*_sentences(texts, move, found, shown), texts("pointer.noted")],
        post_to=frame.to("releases", found.release_id, move),
        button=texts(f"{key}.button", version=found.version),
        is_dangerous=move == "withdraw",
        hidden=[(SEEN, newest(shown))],
        back_to=frame.to("report", found.report),
    )


def _sentences(texts: Texts, move: Move, found: ReleaseRow, shown: Sequence[Shown]) -> list[str]:
    if move == "withdraw":
        first = texts("withdraw.happens", version=found.version)
    elif shown:
        first = texts("roll_back.instead", version=found.version, now=shown[0].version)
    else:
        first = texts("roll_back.again", version=found.version)
    params = ", ".join(f"{name} = {plain_text(value)}" for name, value in found.params.items())
    of_params = [] if found.is_default else [texts("pointer.params", params=params)]
    return [first, *of_params, texts("pointer.kept"), texts("pointer.next")]
