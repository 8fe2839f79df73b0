"""What the pages that change something do alike: read a form, go on to a page."""

from typing import Annotated, Any

from fastapi import Depends, Request
from fastapi.responses import RedirectResponse
from starlette.datastructures import FormData

from report_center.pages.frame import DONE, Frame, frame_of
from report_center.pages.page_route import SEE_OTHER
from reporting.airflow_edge.web_rights import LARGEST_NUMBER

MOST_FIELDS = 1000


async def form_of(request: Request) -> FormData:
    """Return what a form sent; what is no form has no fields."""
    return await request.form(max_fields=MOST_FIELDS, max_files=0)


Form = Annotated[FormData, Depends(form_of)]


def texts_in(form: FormData) -> dict[str, str]:
    """Return the fields of a form; of one that was sent twice the last."""
    return {name: value for name, value in form.items() if isinstance(value, str)}


def whole_number(text: str) -> int | None:
    """Return the number that a text is, as the warehouse counts; None when it is none."""
    is_number = text.isascii() and text.isdigit() and len(text) < len(str(LARGEST_NUMBER))
    return int(text) if is_number else None


def gone_on(request: Request, done: str, *names: object, **query: Any) -> RedirectResponse:
    """Go on to a page of the report center, which says what was done.

    Args:
        request: that was answered.
        done: which words say it, below `done`.
        names: of the page, as for `Frame.to`.
        query: its query.
    """
    frame: Frame = frame_of(request)
    return RedirectResponse(frame.to(*names, **query, **{DONE: done}), SEE_OTHER)
