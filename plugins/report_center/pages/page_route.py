"""Routes that answer a person: with HTML also when something fails, under a strict policy."""

from collections.abc import Callable, Coroutine
from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode

from fastapi import Request, Response
from fastapi.responses import RedirectResponse
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.types import Receive, Scope, Send

from report_center.pages.faults import fault_of
from report_center.pages.frame import LANGUAGE_COOKIE, LANGUAGE_PARAM, frame_of
from report_center.pages.shell import page
from report_center.pages.texts import LANGUAGES

SEE_OTHER = int(HTTPStatus.SEE_OTHER)
NOT_ALLOWED = int(HTTPStatus.METHOD_NOT_ALLOWED)
YEAR = 365 * 24 * 60 * 60
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; form-action 'self'; frame-ancestors 'self'; base-uri 'none'"
)
Handler = Callable[[Request], Coroutine[Any, Any, Response]]


class PageRoute(APIRoute):
    """A route of pages."""

    def get_route_handler(self) -> Handler:
        """Return the handler; whatever fails in it becomes a page that says so."""
        handler = super().get_route_handler()

        async def handle(request: Request) -> Response:
            return _strict(await _answered(handler, request))

        return handle

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer; also what was sent to a page that takes nothing gets a page."""
        methods = self.methods or set()
        if scope["method"] in methods:
            await super().handle(scope, receive, send)
            return
        response = _strict(_failed(Request(scope, receive), HTTPException(NOT_ALLOWED)))
        response.headers["Allow"] = ", ".join(sorted(methods))
        await response(scope, receive, send)


def _strict(response: Response) -> Response:
    response.headers["Content-Security-Policy"] = POLICY
    response.headers["Vary"] = "Accept-Language, Cookie"
    return response


async def _answered(handler: Handler, request: Request) -> Response:
    try:
        response = await handler(request)
    except Exception as error:  # noqa: BLE001 - a reader gets a page whatever happened
        return _failed(request, error)
    if response.status_code == HTTPStatus.OK and (picked := _picked_language(request)):
        return _remembering(request, picked)
    return response


def _failed(request: Request, error: Exception) -> Response:
    fault = fault_of(error, request)
    if fault.status == HTTPStatus.UNAUTHORIZED and _is_for_a_person(request):
        return _to_login(request)
    return page(request, "fault.html", fault.status, fault=fault, login=_login(request))


def _is_for_a_person(request: Request) -> bool:
    return request.method == "GET" and "text/html" in request.headers.get("accept", "")


def _to_login(request: Request) -> Response:
    return RedirectResponse(_login(request), SEE_OTHER)


def _login(request: Request) -> str:
    """Return the address of Airflow's login, which comes back to the page that was asked for."""
    frame = frame_of(request)
    asked = urlencode({"next": frame.here()})
    return f"{frame.airflow}/api/v2/auth/login?{asked}"


def _picked_language(request: Request) -> str | None:
    picked = request.query_params.get(LANGUAGE_PARAM)
    return picked if request.method == "GET" and picked in LANGUAGES else None


def _remembering(request: Request, language: str) -> Response:
    """Return to the same page without the choice in its address."""
    frame = frame_of(request)
    response = RedirectResponse(frame.here(**{LANGUAGE_PARAM: None}), SEE_OTHER)
    response.set_cookie(
        LANGUAGE_COOKIE,
        language,
        max_age=YEAR,
        path=frame.base or "/",
        secure=request.url.scheme == "https",
        httponly=True,
        samesite="lax",
    )
    return response
