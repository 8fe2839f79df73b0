"""What a failed request to an S3 store is: worth another try, or wrong whenever it is sent."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from reporting.errors import ReportError, TerminalError, TransientError

CHANGED = ("NoSuchKey", "NoSuchVersion", "NotFound", "PreconditionFailed", "404", "412")
BUSY = (HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.CONFLICT, HTTPStatus.TOO_MANY_REQUESTS)
BUSY_WORDS = ("RequestTimeout", "SlowDown", "Throttling", "ThrottlingException")  # also with a 400
FORBIDDEN = "AccessDenied"
UNKEPT = "NoSuchBucket"
RIGHTS = (
    "Allow it s3:GetObject and s3:ListBucket: without the latter, S3 also answers so for an object "
    "that is not there"
)


def refusal(error: Exception, where: str, conn_id: str) -> ReportError:
    """Return the error that a failed request is; the store's own words are left out.

    Args:
        error: one of botocore.
        where: source and object, for the message.
        conn_id: the connection it was sent through.
    """
    from botocore.exceptions import ClientError

    if isinstance(error, ClientError):
        status = int(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))
        return _refusal(status, code_of(error), where, conn_id)
    name = type(error).__name__
    if _is_passing(error):
        return TransientError(f"{where} could not be reached through {conn_id!r}: {name}.")
    return TerminalError(f"{where}: connection {conn_id!r} cannot be used: {name}. Mend it.")


def _refusal(status: int, code: str, where: str, conn_id: str) -> ReportError:
    if code == UNKEPT:
        return TerminalError(
            f"{where}: there is no such bucket, as connection {conn_id!r} sees it. Change `bucket` "
            "of the source, or the connection."
        )
    if code in CHANGED:
        return TransientError(f"{where} was replaced or removed while it was read.")
    if _is_busy(status, code):
        return TransientError(f"{where}: the store answered {status} {code}.")
    said = f"{where}: the store refuses connection {conn_id!r}: {status} {code}"
    if code == FORBIDDEN:
        return TerminalError(f"{said}. {RIGHTS}.")
    return TerminalError(f"{said}. Mend the connection.")


def _is_busy(status: int, code: str) -> bool:
    return status >= HTTPStatus.INTERNAL_SERVER_ERROR or status in BUSY or code in BUSY_WORDS


def code_of(error: Any) -> str:
    """Return the store's word for a fault."""
    return str(error.response.get("Error", {}).get("Code", ""))


def _is_passing(error: Exception) -> bool:
    from botocore import exceptions as known

    passing = (known.ConnectionError, known.HTTPClientError, known.IncompleteReadError)
    return isinstance(error, passing)
