"""Fetches the rows of a JSON service page by page, until the service says that it was the last."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from reporting.core.fetch.json_rows import json_batch
from reporting.errors import ContractError, TerminalError, TransientError

if TYPE_CHECKING:
    import requests

    from reporting.core.run import Run
    from reporting.core.staging import Attempt
    from reporting.definition.sources import HttpSource

MAX_REASON = 200
MAX_RETRY_AFTER = timedelta(hours=1)


@dataclass(frozen=True)
class Endpoint:
    """A service: where it is and how to log in.

    Attributes:
        base_url: scheme, host and port.
        login: user and password, or None.
        headers: sent with every request.
    """

    base_url: str
    login: tuple[str, str] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)


def fetch_http(
    source: HttpSource, endpoint: Endpoint, run: Run, attempt: Attempt
) -> dict[str, Any]:
    """Read all pages into `attempt`.

    Returns:
        Facts for the manifest: `pages`.

    Raises:
        ContractError: an answer has another shape than declared, or the cursors go in circles.
        TransientError: the service cannot be reached, is overloaded or its answer was cut off.
        TerminalError: the service refuses the request.
    """
    where = f"Source {source.name!r}"
    pages = 0
    for rows in _pages(source, endpoint, run):
        attempt.writer.write(json_batch(rows, source.schema, where, attempt.writer.rows))
        pages += 1
    return {"pages": pages}


def _pages(source: HttpSource, endpoint: Endpoint, run: Run) -> Iterator[list[dict[str, Any]]]:
    import requests

    query = {name: _filled(text, run) for name, text in source.query.items()}
    seen: set[str] = set()
    with requests.Session() as session:
        session.auth = endpoint.login
        session.headers.update(endpoint.headers)
        while True:
            page = _page(session, source, endpoint, query)
            yield _items(page, source)
            cursor = page.get(source.pages.field)
            if cursor is None:
                return
            if str(cursor) in seen:
                raise ContractError(
                    f"Source {source.name!r}: the service repeats cursor {str(cursor)[:40]!r}; "
                    "its pages go in circles and nothing was committed."
                )
            seen.add(str(cursor))
            query[source.pages.param] = str(cursor)


def _page(
    session: requests.Session, source: HttpSource, endpoint: Endpoint, query: Mapping[str, str]
) -> dict[str, Any]:
    import requests

    where = f"Source {source.name!r}: GET {source.path}"
    try:
        answer = session.get(
            endpoint.base_url.rstrip("/") + "/" + source.path.lstrip("/"),
            params=dict(query),
            timeout=(source.connect_timeout, source.read_timeout),
        )
    except requests.RequestException as error:
        # The exception's own text holds the full URL with its query.
        raise TransientError(f"{where} failed: {type(error).__name__}.") from None
    _check_status(where, answer)
    try:
        page = json.loads(answer.content, parse_float=Decimal)
    except ValueError:
        page = None
    if isinstance(page, dict):
        return page
    raise ContractError(
        f"{where} answered {answer.headers.get('Content-Type')}, not a JSON object."
    )


def _check_status(where: str, answer: requests.Response) -> None:
    status = answer.status_code
    if status == HTTPStatus.OK:
        return
    reason = f"{where} answered {status}: {answer.text[:MAX_REASON]}"
    if status in (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.REQUEST_TIMEOUT) or (
        status >= HTTPStatus.INTERNAL_SERVER_ERROR
    ):
        raise TransientError(reason, _retry_after(answer.headers.get("Retry-After", "")))
    raise TerminalError(reason)


def _retry_after(text: str) -> timedelta | None:
    return min(timedelta(seconds=int(text)), MAX_RETRY_AFTER) if text.isdigit() else None


def _items(page: dict[str, Any], source: HttpSource) -> list[dict[str, Any]]:
    items = page.get(source.pages.items)
    if isinstance(items, list) and all(isinstance(item, dict) for item in items):
        return items
    raise ContractError(
        f"Source {source.name!r}: the answer has no list of objects {source.pages.items!r}; "
        f"it has: {', '.join(sorted(page))}."
    )


def _filled(text: str, run: Run) -> str:
    from reporting.core.fetch.postgres import query_values

    values = {
        name: value.isoformat() if hasattr(value, "isoformat") else value
        for name, value in query_values(run).items()
    }
    return text.format_map(values)
