"""Errors of the web routes as RFC 9457 problems: a status, and a detail that says what to do."""

import logging
from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from reporting.airflow_edge.input_faults import input_text
from reporting.airflow_edge.known_connection import NoConnectionError
from reporting.airflow_edge.problem_model import CONTENT_TYPE
from reporting.core.redact import without_secrets
from reporting.core.service.dead_letters import NoSuchLetterError
from reporting.errors import TerminalError, TransientError

log = logging.getLogger(__name__)
Answer = Callable[[Request, Exception], Awaitable[JSONResponse]]


def tell_problems(app: FastAPI) -> None:
    """Let an app answer every error as a problem; what is away is named, with status 503."""
    statuses: dict[type[Exception], HTTPStatus] = {
        NoSuchLetterError: HTTPStatus.NOT_FOUND,
        TerminalError: HTTPStatus.CONFLICT,
        TransientError: HTTPStatus.SERVICE_UNAVAILABLE,
        NoConnectionError: HTTPStatus.SERVICE_UNAVAILABLE,
    }
    for error, status in statuses.items():
        app.add_exception_handler(error, _as_problem(status))
    for error in _away():
        app.add_exception_handler(error, _of_away)
    app.add_exception_handler(HTTPException, problem_of_http)
    app.add_exception_handler(RequestValidationError, _of_input)
    app.add_exception_handler(Exception, _of_fault)


def away_text(error: Exception) -> str | None:
    """Return which database or store does not answer, if the error says that of one."""
    away = _away()
    what = next((away[kind] for kind in type(error).__mro__ if kind in away), None)
    if what is None:
        return None
    log.warning("%s does not answer: %s", what, without_secrets(str(error)))
    return f"{what} does not answer ({type(error).__name__}); try again later."


def _away() -> dict[type[Exception], str]:
    """Return the errors of what does not answer: their texts may hold an address."""
    import psycopg
    from botocore.exceptions import BotoCoreError, ClientError
    from sqlalchemy.exc import OperationalError

    return {
        psycopg.OperationalError: "The report warehouse",
        BotoCoreError: "The report store",
        ClientError: "The report store",
        OperationalError: "Airflow's database",
    }


def problem(status: int, detail: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    """Return a problem as an answer."""
    status = HTTPStatus(status)
    content = {
        "type": "about:blank",
        "title": status.phrase,
        "status": status.value,
        "detail": without_secrets(detail),
    }
    return JSONResponse(content, status.value, headers, media_type=CONTENT_TYPE)


def _as_problem(status: HTTPStatus) -> Answer:
    async def answer(_: Request, error: Exception) -> JSONResponse:
        return problem(status, str(error))

    return answer


async def _of_away(_: Request, error: Exception) -> JSONResponse:
    return problem(HTTPStatus.SERVICE_UNAVAILABLE, away_text(error) or "")


async def problem_of_http(_: Request, error: Exception) -> JSONResponse:
    """Return the problem of an error that has a status of its own."""
    assert isinstance(error, HTTPException)  # noqa: S101 - registered for it
    return problem(error.status_code, str(error.detail), error.headers)


async def _of_input(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)  # noqa: S101 - registered for it
    return problem(HTTPStatus.UNPROCESSABLE_ENTITY, input_text(request, error))


async def _of_fault(_: Request, error: Exception) -> JSONResponse:
    log.error("A web route failed: %s", without_secrets(f"{type(error).__name__}: {error}"))
    return problem(
        HTTPStatus.INTERNAL_SERVER_ERROR, "A fault of this page; the API server's log has it."
    )
