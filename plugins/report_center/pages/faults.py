"""What a page says when it cannot be shown."""

import logging
from dataclasses import dataclass, replace
from http import HTTPStatus

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from sqlalchemy.exc import OperationalError
from starlette.exceptions import HTTPException

from reporting.airflow_edge.input_faults import input_text
from reporting.airflow_edge.web_rights import OtherSiteError
from reporting.core.redact import without_secrets
from reporting.errors import ReportError, TransientError

log = logging.getLogger(__name__)
SAFE = ("GET", "HEAD")


@dataclass(frozen=True)
class Fault:
    """Why there is no page.

    Attributes:
        status: HTTP status.
        key: which words say it.
        detail: what exactly it was, for people who ask for it.
        is_in_doubt: whether what was asked for may have been done all the same, in part.
    """

    status: int
    key: str
    detail: str | None = None
    is_in_doubt: bool = False


class NotThereError(Exception):
    """There is no such thing, or the reader may not see it.

    Attributes:
        kind: `report`, `run`, `letter`, `file` or `page`.
        name: what was asked for.
    """

    def __init__(self, kind: str, name: str) -> None:
        super().__init__(f"no {kind} {name}")
        self.kind = kind
        self.name = name


def fault_of(error: Exception, request: Request) -> Fault:
    """Return what to say of an error that a request has met."""
    fault = _fault(error, request)
    is_late = fault.status >= HTTPStatus.INTERNAL_SERVER_ERROR  # what is refused is so before
    return replace(fault, is_in_doubt=is_late and request.method not in SAFE)


def _fault(error: Exception, request: Request) -> Fault:
    """Return what to say of an error; one that nobody foresaw is logged."""
    match error:
        case NotThereError():
            return Fault(HTTPStatus.NOT_FOUND, f"no_{error.kind}", error.name)
        case HTTPException():
            return _of_http(error)
        case RequestValidationError():
            return Fault(HTTPStatus.UNPROCESSABLE_ENTITY, "input", _input(request, error))
        case ReportError():
            return _of_report(error)
    if _is_away(error):  # its text may hold a query
        return Fault(HTTPStatus.SERVICE_UNAVAILABLE, "away")
    log.error("A page failed: %s", without_secrets(f"{type(error).__name__}: {error}"))
    return Fault(HTTPStatus.INTERNAL_SERVER_ERROR, "program")


def _is_away(error: Exception) -> bool:
    """Say whether a database or the store does not answer."""
    import psycopg
    from botocore.exceptions import BotoCoreError, ClientError

    away = (OperationalError, psycopg.OperationalError, BotoCoreError, ClientError)
    return isinstance(error, away)


def _of_report(error: ReportError) -> Fault:
    detail = without_secrets(str(error))
    if isinstance(error, TransientError):
        return Fault(HTTPStatus.SERVICE_UNAVAILABLE, "away", detail)
    return Fault(HTTPStatus.CONFLICT, "refused", detail)


def _of_http(error: HTTPException) -> Fault:
    if isinstance(error, OtherSiteError):
        return Fault(error.status_code, "other_site")
    keys: dict[int, str] = {
        HTTPStatus.UNAUTHORIZED: "login",
        HTTPStatus.FORBIDDEN: "forbidden",
        HTTPStatus.NOT_FOUND: "no_page",
        HTTPStatus.METHOD_NOT_ALLOWED: "no_page",
    }
    key = keys.get(error.status_code, "refused")
    return Fault(error.status_code, key, without_secrets(str(error.detail)))


def _input(request: Request, error: RequestValidationError) -> str:
    return without_secrets(input_text(request, error))
