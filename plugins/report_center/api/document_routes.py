"""The API's own document: OpenAPI for programs, a page for people; both behind the login."""

import json
from functools import lru_cache
from typing import Any

from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.responses import HTMLResponse

from report_center.api.asking import CENTER, CONTENT_TYPE
from report_center.api.document import API, document_of
from report_center.api.document_page import page_of
from report_center.api.problems import problems
from reporting.airflow_edge.own_threads import in_own_thread

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
async def show_document(request: Request) -> Response:
    """Return the OpenAPI document of the API."""
    text, _ = await in_own_thread(CENTER, _made, request.app, _place(request))
    return Response(text, media_type=CONTENT_TYPE)


@router.get(
    "/docs",
    summary="This document as a page",
    response_class=HTMLResponse,
    responses=problems(),
)
async def show_page(request: Request) -> HTMLResponse:
    """Return the document as a page for people."""
    _, text = await in_own_thread(CENTER, _made, request.app, _place(request))
    return HTMLResponse(text, headers=STILL)


def _place(request: Request) -> str:
    return str(request.scope.get("root_path", ""))


@lru_cache(maxsize=4)
def _made(app: FastAPI, place: str) -> tuple[str, str]:
    """Return the document and its page as texts; the routes stay as they are."""
    document = document_of(app, place)
    return json.dumps(document, ensure_ascii=False), page_of(document)
