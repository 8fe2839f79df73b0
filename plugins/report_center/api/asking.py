"""What all routes of the API do: look in a thread, and only at what the user may read.

Each place has threads of its own, apart from those in which Airflow serves its UI: what waits for
one that does not answer holds up none that asks another.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from fastapi import Response
from pydantic import BaseModel

from report_center.api.problems import not_there
from report_center.records.opened import looking
from report_center.records.reports import ReportRow, report
from report_center.records.run_list import one_row
from reporting.airflow_edge.own_threads import in_own_thread
from reporting.airflow_edge.web_rights import RUNS, Rights

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from report_center.records.elsewhere import Elsewhere
    from report_center.records.runs import RunRow

T = TypeVar("T")
CONTENT_TYPE = "application/json"
# Places that routes look at.
CENTER = "report center"
RELEASES = "releases"
FILES = "files of releases"
LETTERS = "dead letters"


async def looked_up(look: "Callable[[Session, Elsewhere], T]") -> T:
    """Return what a look has found."""

    def inside() -> T:
        with looking() as (session, elsewhere):
            return look(session, elsewhere)

    return await in_own_thread(CENTER, inside)


async def answered(model: type[BaseModel], look: "Callable[[Session, Elsewhere], Any]") -> Response:
    """Return what a look has found as an answer; written in the thread, too, as it may be long."""

    def inside(session: "Session", elsewhere: "Elsewhere") -> Response:
        return answer(model, look(session, elsewhere))

    return await looked_up(inside)


def answer(model: type[BaseModel], found: Any, status: int = 200) -> Response:
    """Return a record, or a mapping of its fields, as an answer."""
    text = model.model_validate(found, from_attributes=True).model_dump_json()
    return Response(text, status, media_type=CONTENT_TYPE)


def readable_report(session: "Session", rights: Rights, name: str) -> ReportRow:
    """Return a report; one that the user may not read is not there for them.

    Raises:
        HTTPException: 404.
    """
    found = report(session, name) if rights.may("GET", name) else None
    if found is None:
        raise not_there(f"Report {name!r}")
    return found


def readable_run(session: "Session", rights: Rights, report: str, run_id: str) -> "RunRow":
    """Return a run of a report that the user may read.

    Raises:
        HTTPException: 404.
    """
    found = one_row(session, report, run_id) if rights.may("GET", report, RUNS) else None
    if found is None:
        raise no_such_run(report, run_id)
    return found


def no_such_run(report: str, run_id: str) -> Exception:
    """Return the error of a run that is not there, or not for this user."""
    return not_there(f"Run {run_id!r} of report {report!r}")
