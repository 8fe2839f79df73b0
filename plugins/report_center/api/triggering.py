"""Makes a run of a report, unless one answers already: checked before it is made."""

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import quote

from fastapi import HTTPException

from report_center.api.asking import looked_up, readable_report
from report_center.api.problems import CONFLICT, UNPROCESSABLE
from report_center.api.trigger_models import Word
from report_center.as_user import AsUser
from report_center.records.already import Answered, answered_by
from report_center.records.asked import Asked, check
from report_center.records.run_list import one_run, release_id_of
from reporting.airflow_edge.web_rights import RUNS, Rights, demand
from reporting.core.airflow_api import ConflictError
from reporting.core.run import is_same
from reporting.errors import InputError

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from report_center.records.elsewhere import Elsewhere
    from report_center.records.reports import ReportRow
    from report_center.records.runs import RunRow


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


@dataclass(frozen=True)
class Answering:
    """What answers a request.

    Attributes:
        answer: why it does, see `Triggered`.
        run: the run; None when the one that published was deleted.
        release_id: of what is published; None otherwise.
    """

    answer: Word
    run: "RunRow | None"
    release_id: int | None = None


def run_id_of(user: str, report: str, key: str) -> str:
    """Return the id of the run that a user's key makes: equal for equal keys."""
    digest = hashlib.sha256(f"{user}\n{report}\n{key}".encode()).hexdigest()
    return f"manual__key_{digest[:32]}"


def answered_before(session: "Session", elsewhere: "Elsewhere", wish: Wish) -> Answering | None:
    """Return what answers without a new run; None when one is to be made."""
    rights, report = wish.rights, wish.report
    known = readable_report(session, rights, report)
    demand(rights.may("POST", report, RUNS), f"trigger runs of report {report!r}")
    _check(known, wish.asked)
    if (before := _made_before(session, elsewhere, wish)) is not None:
        return before
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
    if report.is_gone:
        raise HTTPException(
            CONFLICT,
            f"The file of report {report.name!r} was removed, so a run would only wait; put it "
            "back first.",
        )
    if report.is_paused:
        raise HTTPException(
            CONFLICT,
            f"Report {report.name!r} is paused, so a run would only wait; unpause it in Airflow.",
        )


def _already(found: Answered) -> Answering:
    release = found.release
    word: Word = "under_way" if release is None else "published"
    return Answering(word, found.run, None if release is None else release.release_id)


def _made_before(session: "Session", elsewhere: "Elsewhere", wish: Wish) -> Answering | None:
    """Return the run that the same key has made for the same request, if it has made one."""
    if wish.run_id is None:
        return None
    run = one_run(session, elsewhere, wish.report, wish.run_id)
    if run is not None and not is_same(run.sent, wish.asked.conf):
        raise HTTPException(
            UNPROCESSABLE,
            f"Idempotency-Key has made run {run.run_id!r} for another period or other params; "
            "allowed: a key of its own for each request.",
        )
    return None if run is None else Answering("same_key", run, release_id_of(elsewhere, run))


async def made(user: AsUser, wish: Wish) -> Answering:
    """Let Airflow make the run; it is the one that decides who comes first with a key."""
    named = {} if wish.run_id is None else {"dag_run_id": wish.run_id}
    body = {"logical_date": None, "conf": wish.asked.conf, **named}
    try:
        told = await user.post(f"dags/{quote(wish.report, safe='')}/dagRuns", body)
    except InputError as error:
        raise HTTPException(UNPROCESSABLE, str(error)) from None
    except ConflictError:
        before = await looked_up(lambda session, at: _made_before(session, at, wish))
        if before is None:
            raise
        return before
    run_id = str(told["dag_run_id"])
    run = await looked_up(lambda session, at: one_run(session, at, wish.report, run_id))
    return Answering("created", run)
