"""The API's own document: OpenAPI for programs, a page for people; both behind the login."""

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, JSONResponse

from report_center.api.document import API, document_of, page_of
from report_center.api.problems import problems

# Nothing is loaded, from here or from elsewhere; the page's own style is all there is.
STILL = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; "
    "frame-ancestors 'self'; base-uri 'none'; form-action 'none'",
    "X-Content-Type-Options": "nosniff",
}
router = APIRouter(prefix=API, tags=["document"])


@router.get(
    "/openapi.json",
    summary="This document",
    response_model=dict[str, Any],
    responses=problems(),
)
async def show_document(request: Request) -> JSONResponse:
    """Return the OpenAPI document of the API."""
    return JSONResponse(_document(request))


@router.get(
    "/docs",
    summary="This document as a page",
    response_class=HTMLResponse,
    responses=problems(),
)
async def show_page(request: Request) -> HTMLResponse:
    """Return the document as a page for people."""
    return HTMLResponse(page_of(_document(request)), headers=STILL)


def _document(request: Request) -> dict[str, Any]:
    return document_of(request.app, str(request.scope.get("root_path", "")))
