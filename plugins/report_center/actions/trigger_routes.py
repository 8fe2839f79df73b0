"""The page that triggers a report, at `/reports/report/NAME/trigger`."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any
from uuid import uuid4

from fastapi import APIRouter, Query, Request, Response

from report_center.actions.asking import Form, gone_on, texts_in
from report_center.actions.trigger_form import asked_with, faults_of, fields_of, typed_at_first
from report_center.api.asking import looked_up
from report_center.api.problems import UNPROCESSABLE
from report_center.api.trigger_models import LONGEST_KEY
from report_center.api.triggering import Answering, Wish, answered_before, made, run_id_of
from report_center.as_user import User
from report_center.pages.asked import Name
from report_center.pages.faults import NotThereError
from report_center.pages.frame import frame_of
from report_center.pages.page_route import PageRoute
from report_center.pages.shell import page
from report_center.records.asked import Asked
from report_center.records.reports import ReportRow, report
from report_center.records.run_list import one_row
from reporting.airflow_edge.web_rights import CHANGING, PLAIN, RUNS, Rights, RightsDep, demand
from reporting.definition.params import PERIOD

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from report_center.records.elsewhere import Elsewhere

NONCE = "nonce"
router = APIRouter(route_class=PageRoute, include_in_schema=False, prefix="/report")
Like = Annotated[str | None, Query(max_length=250, pattern=PLAIN)]


@dataclass(frozen=True)
class Filled:
    """A form with what stands in it.

    Attributes:
        report: what it triggers.
        typed: text per field.
        faults: what is wrong, per param.
        nonce: names this form, so that it makes one run however often it is sent.
    """

    report: ReportRow
    typed: Mapping[str, str]
    faults: Mapping[str, str]
    nonce: str


@router.get("/{name}/trigger")
async def ask_to_trigger(
    request: Request, rights: RightsDep, name: Name, like: Like = None
) -> Response:
    """Show the form, with the defaults or with what another run was asked for."""

    def shown(session: "Session", _: Any) -> Response:
        found = _triggerable(session, rights, name)
        run = None if like is None else one_row(session, name, like)
        typed = typed_at_first(found.definition, run.params if run else {})
        if run and run.period:
            typed[PERIOD] = run.period
        return _page(request, Filled(found, typed, {}, uuid4().hex))

    return await looked_up(shown)


@router.post("/{name}/trigger", dependencies=CHANGING)
async def trigger(
    request: Request, rights: RightsDep, user: User, name: Name, form: Form
) -> Response:
    """Make a run and go on to it, or to the run that answers already."""
    typed = texts_in(form)
    nonce = typed.get(NONCE, "")[:LONGEST_KEY]

    def checked(session: "Session", elsewhere: "Elsewhere") -> Response | Answering | Wish:
        found = _triggerable(session, rights, name)
        asked = asked_with(found.definition, typed)
        if faults := _faults(request, found, asked):
            return _page(request, Filled(found, typed, faults, nonce), UNPROCESSABLE)
        wish = Wish(rights, name, asked, _run_id(rights, name, nonce, asked))
        return answered_before(session, elsewhere, wish) or wish

    found = await looked_up(checked)
    answer = await made(user, found) if isinstance(found, Wish) else found
    if isinstance(answer, Response):
        return answer
    if answer.run is None:
        return gone_on(request, f"trigger_{answer.answer}", "report", name)
    return gone_on(request, f"trigger_{answer.answer}", "runs", name, answer.run.run_id)


def _triggerable(session: "Session", rights: Rights, name: str) -> ReportRow:
    found = report(session, name) if rights.may("GET", name) else None
    if found is None:
        raise NotThereError("report", name)
    demand(rights.may("POST", name, RUNS), f"trigger runs of report {name!r}")
    return found


def _faults(request: Request, found: ReportRow, asked: Asked) -> dict[str, str]:
    # Of an earlier version of the package, nothing is known: `init` decides.
    if not found.definition:
        return {}
    return faults_of(frame_of(request).texts, asked, found.definition, datetime.now(UTC))


def _run_id(rights: Rights, name: str, nonce: str, asked: Asked) -> str | None:
    """Return the run a form makes: sent twice one run, changed in between another one."""
    conf = json.dumps(asked.conf, sort_keys=True)
    return run_id_of(rights.name, name, f"{nonce}\n{conf}") if nonce else None


def _page(request: Request, form: Filled, status: int = 200) -> Response:
    frame, found = frame_of(request), form.report
    texts = frame.texts
    happens = [texts("trigger.makes", title=found.title), texts("trigger.duplicate")]
    if found.is_paused:
        happens = [texts("trigger.paused")]
    return page(
        request,
        "trigger.html",
        status,
        title=texts("trigger.title", title=found.title),
        happens=happens,
        fields=fields_of(texts, found, form.typed, form.faults),
        is_known=bool(found.definition),
        post_to=frame.to("report", found.name, "trigger"),
        button=texts("act.trigger"),
        is_dangerous=False,
        hidden=[(NONCE, form.nonce)],
        back_to=frame.to("report", found.name),
    )
