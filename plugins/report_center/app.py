"""The report center's web app: none of its routes answers without a login."""

import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import Depends, FastAPI, Request, Response
from starlette.exceptions import HTTPException

from report_center.actions.routes import router as actions
from report_center.api.routes import router as api
from report_center.headers import WithHeaders
from report_center.pages.no_page import is_of_a_page, no_page
from report_center.pages.routes import router as pages
from reporting.airflow_edge.web_problems import problem_of_http, tell_problems
from reporting.airflow_edge.web_rights import rights_of


def report_center_app() -> FastAPI:
    """Return the app to mount at `/reports`."""
    app = FastAPI(
        title="Report center",
        # Its own route has the document, behind the login.
        openapi_url=None,
        dependencies=[Depends(rights_of)],
        lifespan=_settled,
    )
    app.include_router(api)
    app.include_router(actions)
    app.include_router(pages)
    app.add_middleware(WithHeaders)
    tell_problems(app)
    app.add_exception_handler(HTTPException, _without_a_route)
    return app


@asynccontextmanager
async def _settled(_: FastAPI) -> AsyncIterator[None]:
    """Spare what the API server has loaded from being looked through for garbage.

    It stays to the end, and each look at all of it holds up every answer by a third of a second.
    """
    gc.collect()
    gc.freeze()
    yield


async def _without_a_route(request: Request, error: Exception) -> Response:
    """Answer what no route takes, as a form sent to a wrong address: pages answer people."""
    if is_of_a_page(request):
        return no_page(request, error)
    return await problem_of_http(request, error)
