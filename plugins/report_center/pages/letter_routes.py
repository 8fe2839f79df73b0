"""The pages of dead letters: the list, at `/reports/dead-letters`, and one letter."""

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Query, Request, Response

from report_center.api.asking import looked_up
from report_center.api.letter_routes import readable_letter
from report_center.pages.acts import letter_acts, list_acts
from report_center.pages.asked import LettersAsked, Number
from report_center.pages.faults import NotThereError
from report_center.pages.formats import Formats
from report_center.pages.frame import frame_of
from report_center.pages.letters_view import (
    PAGE,
    LetterPage,
    LettersFound,
    LettersWanted,
    letter_line,
    letters_view,
)
from report_center.pages.page_route import PageRoute
from report_center.pages.shell import page
from report_center.records.reports import report, reports
from reporting.airflow_edge.open_dead_letters import reading_dead_letters
from reporting.airflow_edge.web_rights import DATA, Rights, RightsDep
from reporting.core.redact import without_secrets
from reporting.core.service.dead_letters import DeadLetters, NoSuchLetterError
from reporting.core.warehouse.dead_letters import DeadLetter, Wanted

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from report_center.records.elsewhere import Elsewhere

log = logging.getLogger(__name__)
AWAY = "The report warehouse does not answer"
router = APIRouter(route_class=PageRoute, include_in_schema=False, prefix="/dead-letters")


@router.get("")
async def show_letters(
    request: Request, rights: RightsDep, asked: Annotated[LettersAsked, Query()]
) -> Response:
    """Show the dead letters that the user may read, the newest first."""

    def shown(session: "Session", _: "Elsewhere") -> Response:
        readable = rights.readable()
        frame = frame_of(request)
        fmt = Formats(frame.texts)
        found = _found(readable, asked.wanted)
        view = letters_view(fmt, found, asked.wanted, reports(session, readable))
        acts = list_acts(frame, rights, found.letters)
        return page(request, "letters.html", view=view, acts=acts)

    return await looked_up(shown)


def _found(readable: Sequence[str] | None, wanted: LettersWanted) -> LettersFound:
    which = Wanted(readable, wanted.report, wanted.source, (wanted.state,))
    try:
        with reading_dead_letters() as letters:
            found = letters.listed(which, "newest", PAGE, wanted.offset)
            return LettersFound(found, letters.count(which))
    except NoSuchLetterError:
        return LettersFound()
    except Exception as error:  # noqa: BLE001 - whatever a client raises: the page is shown
        log.warning("Dead letters cannot be listed: %s", without_secrets(str(error)))
        return LettersFound(unseen=(f"{AWAY} ({type(error).__name__}).",))


@router.get("/{number}")
async def show_letter(request: Request, rights: RightsDep, number: Number) -> Response:
    """Show one letter; one that the user may not read is not there for them."""

    def shown(session: "Session", _: "Elsewhere") -> Response:
        with reading_dead_letters() as letters:
            letter = letter_there(rights, letters, number)
            may_see = rights.may("GET", letter.report, DATA)
            beginning = letters.beginning(letter) if may_see else None
        found = report(session, letter.report) if letter.report else None
        known = {found.name: found} if found else {}
        frame = frame_of(request)
        line = letter_line(Formats(frame.texts), letter, known)
        view = LetterPage(line, beginning, may_see, ())
        return page(request, "letter.html", view=view, acts=letter_acts(frame, rights, letter))

    return await looked_up(shown)


def letter_there(rights: Rights, letters: DeadLetters, number: int) -> DeadLetter:
    """Return a letter.

    Raises:
        NotThereError: there is none, or none that the user may read.
    """
    try:
        return readable_letter(rights, letters, number)
    except NoSuchLetterError:
        raise NotThereError("letter", str(number)) from None
