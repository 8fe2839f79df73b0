"""The page for what no route takes, such as a form that is sent to a wrong address."""

from fastapi import Request, Response
from starlette.exceptions import HTTPException

from report_center.pages.faults import Fault
from report_center.pages.frame import frame_of
from report_center.pages.page_route import POLICY
from report_center.pages.shell import page

API = "api"


def is_of_a_page(request: Request) -> bool:
    """Say whether an address is that of a page, and not of the API."""
    return frame_of(request).section != API


def no_page(request: Request, error: Exception) -> Response:
    """Return the page that says so."""
    assert isinstance(error, HTTPException)  # noqa: S101 - registered for it
    fault = Fault(error.status_code, "no_page", frame_of(request).path)
    response = page(request, "fault.html", error.status_code, fault=fault)
    response.headers.update({"Content-Security-Policy": POLICY, **(error.headers or {})})
    return response
