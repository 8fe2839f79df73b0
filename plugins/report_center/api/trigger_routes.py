"""Trigger a run: checked before it is made, and answered with the run there is, if there is one."""

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime
from http import HTTPStatus
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Depends, Header, HTTPException, Request, Response

from report_center.api.asking import answer, looked_up, readable_report
from report_center.api.problems import CONFLICT, UNPROCESSABLE, problems
from report_center.api.report_routes import ReportName
from report_center.api.trigger_models import LONGEST_KEY, Trigger, Triggered
from report_center.as_user import AsUser, as_user
from report_center.records.already import Answered, answered_by
from report_center.records.asked import Asked, check
from report_center.records.run_list import one_run
from reporting.airflow_edge.web_rights import CHANGING, RUNS, Rights, RightsDep, demand
from reporting.core.airflow_api import ConflictError
from reporting.errors import InputError

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from report_center.records.elsewhere import Elsewhere
    from report_center.records.reports import ReportRow
    from report_center.records.runs import RunRow

Key = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        min_length=1,
        max_length=LONGEST_KEY,
        description="any text of your own: sent again, it gives the run it has made",
    ),
]
User = Annotated[AsUser, Depends(as_user)]
CREATED = HTTPStatus.CREATED
MADE: dict[int | str, dict[str, Any]] = {
    201: {"model": Triggered, "description": "A run was made."}
}


@dataclass(frozen=True)
class Wish:
    """What is asked for, and by whom.

    Attributes:
        rights: of the user.
        report: name of the report.
        asked: period and params.
        run_id: the run that the user's key makes; None without a key.
    """

    rights: Rights
    report: str
    asked: Asked
    run_id: str | None


def wish_of(rights: RightsDep, report: ReportName, body: Trigger, key: Key = None) -> Wish:
    """Return what a request asks for."""
    run_id = None if key is None else run_id_of(rights.name, report, key)
    return Wish(rights, report, Asked(body.period, body.params, body.refresh), run_id)


def run_id_of(user: str, report: str, key: str) -> str:
    """Return the id of the run that a user's key makes: equal for equal keys."""
    digest = hashlib.sha256(f"{user}\n{report}\n{key}".encode()).hexdigest()
    return f"manual__key_{digest[:32]}"


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
    response = answer(Triggered, found, CREATED if found["answer"] == "created" else HTTPStatus.OK)
    if found["run"] is not None:
        place = f"{request.scope.get('root_path', '')}/api/reports/{quote(wish.report, safe='')}"
        response.headers["Location"] = f"{place}/runs/{quote(found['run'].run_id, safe='')}"
    return response


def answered_before(
    session: "Session", elsewhere: "Elsewhere", wish: Wish
) -> dict[str, Any] | None:
    """Return what answers without a new run; None when one is to be made."""
    rights, report = wish.rights, wish.report
    known = readable_report(session, rights, report)
    demand(rights.may("POST", report, RUNS), f"trigger runs of report {report!r}")
    _check(known, wish.asked)
    if wish.run_id is not None:
        before = one_run(session, elsewhere, report, wish.run_id)
        if before is not None:
            return _same_key(before, wish.asked)
    # Of an earlier version of the package, nothing is known: `init` decides.
    if known.definition:
        found = answered_by(session, elsewhere, known, wish.asked, datetime.now(UTC))
        if found is not None:
            return _already(found)
    _demand_awake(known)
    return None


def _check(report: "ReportRow", asked: Asked) -> None:
    if not report.definition:
        return
    try:
        check(asked, report.definition, datetime.now(UTC))
    except InputError as error:
        raise HTTPException(UNPROCESSABLE, str(error)) from None


def _demand_awake(report: "ReportRow") -> None:
    if report.is_paused:
        raise HTTPException(
            CONFLICT,
            f"Report {report.name!r} is paused, so a run would only wait; unpause it in Airflow.",
        )


def _already(found: Answered) -> dict[str, Any]:
    release = found.release
    return {
        "answer": "under_way" if release is None else "published",
        "run": found.run,
        "release_id": None if release is None else release.release_id,
    }


def _same_key(run: "RunRow", asked: Asked) -> dict[str, Any]:
    given = {name: value for name, value in run.params.items() if name in asked.params}
    is_same = given == dict(asked.params) and asked.period in (None, run.period)
    if not is_same:
        raise HTTPException(
            UNPROCESSABLE,
            f"Idempotency-Key has made run {run.run_id!r} for another period or other params; "
            "allowed: a key of its own for each request.",
        )
    return {"answer": "same_key", "run": run, "release_id": None}


async def made(user: AsUser, wish: Wish) -> dict[str, Any]:
    """Let Airflow make the run; it is the one that decides who comes first with a key."""
    named = {} if wish.run_id is None else {"dag_run_id": wish.run_id}
    body = {"logical_date": None, "conf": wish.asked.conf, **named}
    run_id, word = wish.run_id, "created"
    try:
        told = await user.post(f"dags/{quote(wish.report, safe='')}/dagRuns", body)
        run_id = str(told["dag_run_id"])
    except InputError as error:
        raise HTTPException(UNPROCESSABLE, str(error)) from None
    except ConflictError:
        if run_id is None:
            raise
        word = "same_key"
    run = await looked_up(lambda session, at: one_run(session, at, wish.report, str(run_id)))
    return {"answer": word, "run": run, "release_id": None}
