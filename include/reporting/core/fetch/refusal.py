"""What a status other than success means: come again later, or never with the same request."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from http import HTTPStatus

from reporting.core.redact import without_secrets
from reporting.errors import ReportError, TerminalError, TransientError

MAX_REASON = 200
LONGEST_WAIT = timedelta(hours=1)
MAX_DIGITS = 9
LATER = (HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_EARLY, HTTPStatus.TOO_MANY_REQUESTS)


class RefusedError(TerminalError):
    """A service refuses a request for good.

    Attributes:
        status: HTTP status.
    """

    def __init__(self, message: str, status: int) -> None:
        """Keep the status beside the message."""
        super().__init__(message)
        self.status = status


def refusal(
    where: str, status: int, body: bytes, retry_after: str, secrets: Iterable[str]
) -> ReportError:
    """Return the error that a status is, with the service's own words.

    Args:
        where: the request, for the message.
        status: HTTP status, none that was expected.
        body: what the service said.
        retry_after: the header of that name, or nothing.
        secrets: what must not be repeated from an answer that echoes the request.
    """
    words = without_secrets(body.decode(errors="replace"), secrets)[:MAX_REASON]
    reason = f"{where} answered {status}: {words}"
    if status in LATER or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return TransientError(reason, wait_asked_for(retry_after, datetime.now(UTC)))
    return RefusedError(reason, status)


def wait_asked_for(text: str, now: datetime) -> timedelta | None:
    """Read `Retry-After`, seconds or a date to come; at most an hour, None when it says nothing."""
    if text.isascii() and text.isdigit():
        seconds = int(text) if len(text) <= MAX_DIGITS else LONGEST_WAIT.total_seconds()
        return min(timedelta(seconds=seconds), LONGEST_WAIT)
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, OverflowError):  # the latter: a time zone of many digits
        return None
    wait = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)) - now
    return min(wait, LONGEST_WAIT) if wait > timedelta(0) else None
