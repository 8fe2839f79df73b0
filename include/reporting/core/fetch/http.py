"""Fetches the rows of a JSON service page by page, until the service says that it was the last."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from reporting.core.fetch.endpoint import Client, Endpoint
from reporting.core.fetch.json_rows import fit_json
from reporting.core.fetch.postgres import query_values
from reporting.core.intake import Intake
from reporting.definition.placeholders import filled
from reporting.errors import ContractError

if TYPE_CHECKING:
    from reporting.core.run import Run
    from reporting.core.staging import Attempt
    from reporting.definition.sources import HttpSource

log = logging.getLogger(__name__)

MAX_NAMED = 200
MAX_FIELDS = 50


def fetch_http(
    source: HttpSource, endpoint: Endpoint, run: Run, attempt: Attempt
) -> dict[str, Any]:
    """Read all pages into `attempt`.

    Returns:
        Facts for the manifest: `pages`; `added_fields` and `absent_fields`, if any.

    Raises:
        ContractError: an answer has another shape than declared, or the cursors go in circles.
        TransientError: the service cannot be reached, is overloaded, too slow, or its answer was
            cut off.
        TerminalError: the service refuses the request.
    """
    intake, pages, fields = Intake(source, attempt), 0, set[str]()
    for rows in _pages(source, endpoint, run):
        intake.accept(*fit_json(rows, source.schema, intake.seen))
        fields.update(*rows)
        pages += 1
    return {"pages": pages, **_drift(source, fields)}


def _drift(source: HttpSource, fields: set[str]) -> dict[str, list[str]]:
    """Return how the fields of all rows differ from the declared ones, which is no fault yet.

    A service may add fields at any time, and may leave out those that are null.
    """
    declared = [column.name for column in source.schema]
    differ = {
        "added_fields": sorted(fields.difference(declared))[:MAX_FIELDS],
        "absent_fields": [name for name in declared if fields and name not in fields],
    }
    for kind, names in differ.items():
        if names:
            log.warning("Source %r, %s: %s.", source.name, kind.replace("_", " "), ", ".join(names))
    return {kind: names for kind, names in differ.items() if names}


def _pages(source: HttpSource, endpoint: Endpoint, run: Run) -> Iterator[list[dict[str, Any]]]:
    query = _query(source, run)
    seen: set[str] = set()
    with Client(source, endpoint) as client:
        while True:
            page = _page(client, source, query)
            yield _items(page, source)
            cursor = _cursor(page, source)
            if cursor is None:
                return
            if cursor in seen:
                raise ContractError(
                    f"Source {source.name!r}: the service repeats cursor {cursor[:40]!r}; "
                    "its pages go in circles and nothing was committed."
                )
            seen.add(cursor)
            query[source.pages.param] = cursor


def _query(source: HttpSource, run: Run) -> dict[str, str]:
    values = {name: filled(text, query_values(run)) for name, text in source.query.items()}
    return {name: value for name, value in values.items() if value is not None}


def _page(client: Client, source: HttpSource, query: dict[str, str]) -> dict[str, Any]:
    answer = client.get(query)
    try:
        page = json.loads(answer.body, parse_float=Decimal)
    except (ValueError, RecursionError):
        page = None
    if isinstance(page, dict):
        return page
    raise ContractError(
        f"Source {source.name!r}: GET {source.path} answered {answer.content_type!r}, "
        "not a JSON object."
    )


def _cursor(page: dict[str, Any], source: HttpSource) -> str | None:
    """Return the next cursor; only null or no such field is the end, an empty text is not."""
    cursor = page.get(source.pages.field)
    if cursor is None:
        return None
    if isinstance(cursor, bool) or not isinstance(cursor, str | int):
        raise ContractError(
            f"Source {source.name!r}: cursor {source.pages.field!r} is {str(cursor)[:40]!r}; "
            "allowed: text, a whole number, or null at the end."
        )
    return str(cursor)


def _items(page: dict[str, Any], source: HttpSource) -> list[dict[str, Any]]:
    items = page.get(source.pages.items)
    if isinstance(items, list) and all(isinstance(item, dict) for item in items):
        return items
    raise ContractError(
        f"Source {source.name!r}: the answer has no list of objects {source.pages.items!r}; "
        f"it has: {', '.join(sorted(page))[:MAX_NAMED]}."
    )
