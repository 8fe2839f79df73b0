"""What a status other than success means: come again later, or never with the same request."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import TYPE_CHECKING

from reporting.core.redact import without_secrets
from reporting.errors import ReportError, TerminalError, TransientError

if TYPE_CHECKING:
    from reporting.core.fetch.said import Said

log = logging.getLogger(__name__)
MAX_WORDS = 200
MAX_LOGGED = 1000
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
    where: str, status: int, said: Said, retry_after: str, secrets: Iterable[str]
) -> ReportError:
    """Return the error that a status is, with the service's own words.

    Of a body that is not such words, which may be rows, the error has type and size; its beginning
    goes to the task's log only.

    Args:
        where: the request, for the message.
        status: HTTP status, none that was expected.
        said: what the service answered.
        retry_after: the header of that name, or nothing.
        secrets: what must not be repeated from an answer that echoes the request.
    """
    reason = f"{where} answered {status}{_told(said, where, status, list(secrets))}"
    if status in LATER or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return TransientError(reason, wait_asked_for(retry_after, datetime.now(UTC)))
    return RefusedError(reason, status)


def _told(said: Said, where: str, status: int, secrets: list[str]) -> str:
    if not said.text:
        return " without a word."
    if words := said.words:
        return f": {without_secrets(words, secrets)[:MAX_WORDS]}"
    begins = without_secrets(said.text, secrets)[:MAX_LOGGED]
    log.warning("%s answered %s with: %s", where, status, begins)
    return f": {without_secrets(said.measure, secrets)}."


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
