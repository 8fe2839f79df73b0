"""The pages that run a run again, at `/reports/runs/NAME/RUN/rerun`, or cancel it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import APIRouter, Depends, Request, Response

from report_center.actions.asking import Form, gone_on, texts_in, whole_number
from report_center.api.asking import looked_up
from report_center.as_user import User
from report_center.changes.cancel import cancel, demand_under_way
from report_center.changes.rerun import Part, Rerun, clear, rerun_of, would_clear
from report_center.pages.asked import Name
from report_center.pages.faults import NotThereError
from report_center.pages.frame import frame_of
from report_center.pages.page_route import PageRoute
from report_center.pages.shell import page
from report_center.pages.texts import Texts
from report_center.records.reports import report
from report_center.records.run import RunView
from report_center.records.run_page import run_view
from reporting.airflow_edge.web_rights import CHANGING, RUNS, Rights, RightsDep, demand_may_change
from reporting.core.states import STORE

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from report_center.records.elsewhere import Elsewhere
    from report_center.records.reports import ReportRow

WHAT, SEEN = "what", "seen"
What = Literal["failed", "all"]


@dataclass(frozen=True)
class Asker:
    """Who wants to change which run."""

    rights: Rights
    report: str
    run_id: str


def asker_of(rights: RightsDep, name: Name, run_id: Name) -> Asker:
    """Return who asks, and for what."""
    return Asker(rights, name, run_id)


AskerDep = Annotated[Asker, Depends(asker_of)]
router = APIRouter(route_class=PageRoute, include_in_schema=False, prefix="/runs/{name}/{run_id}")


@router.get("/rerun")
async def ask_to_rerun(
    request: Request, asker: AskerDep, user: User, what: What = "failed"
) -> Response:
    """Say what would be cleared, and ask."""
    found, view = await looked_up(lambda s, e: _changeable(s, e, asker))
    order = rerun_of(found, view, what)
    tasks = await would_clear(user, order)
    texts = frame_of(request).texts
    return _page(
        request,
        view,
        title=texts(f"rerun.{what}_title", run=_run_text(view)),
        happens=_rerun_sentences(texts, order, tasks),
        act="rerun",
        button=texts(f"act.rerun_{what}"),
        hidden=[(WHAT, what), (SEEN, order.seen)],
    )


@router.post("/rerun", dependencies=CHANGING)
async def rerun(request: Request, asker: AskerDep, user: User, form: Form) -> Response:
    """Clear it, and go back to the run."""
    fields = texts_in(form)
    part: Part = "all" if fields.get(WHAT) == "all" else "failed"

    def look(session: "Session", elsewhere: "Elsewhere") -> Rerun:
        found, view = _changeable(session, elsewhere, asker)
        return rerun_of(found, view, part, whole_number(fields.get(SEEN, "")))

    await clear(user, await looked_up(look))
    return gone_on(request, f"rerun_{part}", "runs", asker.report, asker.run_id)


@router.get("/cancel")
async def ask_to_cancel(request: Request, asker: AskerDep) -> Response:
    """Say what cancelling does, and ask."""
    _, view = await looked_up(lambda s, e: _changeable(s, e, asker))
    demand_under_way(view.run)
    texts = frame_of(request).texts
    is_published = view.run.steps.get(STORE) == "success"
    fate = "cancel.published" if is_published else "cancel.unpublished"
    return _page(
        request,
        view,
        title=texts("cancel.title", run=_run_text(view)),
        happens=[texts("cancel.marks"), texts("cancel.janitor"), texts(fate)],
        act="cancel",
        button=texts("act.cancel_run"),
        is_dangerous=True,
    )


@router.post("/cancel", dependencies=CHANGING)
async def cancel_run(request: Request, asker: AskerDep, user: User) -> Response:
    """Mark it failed, and go back to the run."""
    await looked_up(lambda s, e: _changeable(s, e, asker))
    await cancel(user, asker.report, asker.run_id)
    return gone_on(request, "cancel", "runs", asker.report, asker.run_id)


def _changeable(
    session: "Session", elsewhere: "Elsewhere", asker: Asker
) -> "tuple[ReportRow, RunView]":
    rights, name = asker.rights, asker.report
    found = report(session, name) if rights.may("GET", name, RUNS) else None
    view = run_view(session, elsewhere, name, asker.run_id) if found else None
    if found is None or view is None:
        raise NotThereError("run", asker.run_id)
    demand_may_change(rights, name)
    return found, view


def _run_text(view: RunView) -> str:
    return f"{view.run.title}, {view.run.period}" if view.run.period else view.run.title


def _rerun_sentences(texts: Texts, order: Rerun, tasks: tuple[str, ...]) -> list[str]:
    kept = [task for task in order.order if task not in tasks]
    sentences = [texts("rerun.clears", tasks=", ".join(tasks))]
    if kept:
        sentences.append(texts("rerun.keeps", tasks=", ".join(kept)))
    if not tasks or STORE in tasks:
        sentences.append(texts("rerun.publishes"))
    return [*sentences, texts("rerun.until_then")]


def _page(request: Request, view: RunView, act: str, **values: Any) -> Response:
    frame, run = frame_of(request), view.run
    given = {"is_dangerous": False, "hidden": [], **values}
    back = frame.to("runs", run.report, run.run_id)
    return page(request, "confirm.html", post_to=f"{back}/{act}", back_to=back, **given)
