"""Fetches the rows of a service: one body, or page by page until it says that was the last."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

from reporting.core.fetch.bodies import take_answer
from reporting.core.fetch.charset import charset_of
from reporting.core.fetch.client import Answer, Asked, Client
from reporting.core.fetch.field_drift import field_drift
from reporting.core.fetch.json_rows import fit_json
from reporting.core.fetch.limits import limits_of
from reporting.core.fetch.paging import page_name, paging_of
from reporting.core.fetch.query_values import query_values
from reporting.core.fetch.told_error import error_told, told
from reporting.core.intake import Intake
from reporting.definition.placeholders import filled
from reporting.errors import ContractError

if TYPE_CHECKING:
    from reporting.core.fetch.endpoint import Endpoint
    from reporting.core.run import Run
    from reporting.core.staging import Attempt
    from reporting.definition.sources import HttpSource

log = logging.getLogger(__name__)

MAX_NAMED = 200
FAULT_FIELDS = ("error", "errors", "message", "detail", "title")


def fetch_http(
    source: HttpSource, endpoint: Endpoint, run: Run, attempt: Attempt
) -> dict[str, Any]:
    """Read all pages into `attempt`.

    Returns:
        Facts for the manifest: `pages`; `added_fields` and `absent_fields`, if any.

    Raises:
        ContractError: an answer has another shape than declared, or pages go in circles.
        TransientError: the service cannot be reached, is overloaded, too slow, its answer was
            cut off, or its data changed while it was read.
        TerminalError: the service refuses the request.
    """
    where = f"Source {source.name!r}"
    first = Asked(source.path, _query(source, run))
    intake, pages, fields = Intake(source, attempt), 0, set[str]()
    with Client(where, endpoint, limits_of(source)) as client:
        if source.pages is None:
            with client.ask(first) as answer:
                fields = take_answer(source.body, answer, source.schema, intake)
            pages = 1
        else:
            for asked, page in _pages(client, source, first):
                name = page_name(source.pages, pages + 1, asked, intake.seen + 1)
                intake.go_on(f"{where}, {name}", name)
                intake.accept(*fit_json(page.rows, source.schema, intake.seen))
                fields.update(*page.rows)
                pages += 1
    return {"pages": pages, **field_drift(source, fields)}


@dataclass(frozen=True)
class JsonPage:
    """One page.

    Attributes:
        fields: the answer's own fields; none when it is a list.
        rows: its rows.
        headers: the answer's headers.
        url: what has answered.
    """

    fields: Mapping[str, Any]
    rows: list[dict[str, Any]]
    headers: Mapping[str, str]
    url: str = field(repr=False)


def _pages(client: Client, source: HttpSource, first: Asked) -> Iterator[tuple[Asked, JsonPage]]:
    asked: Asked | None
    asked, paging = paging_of(source, first)
    while asked is not None:
        with client.ask(asked) as answer:
            page = _page(source, answer)
        yield asked, page
        asked = paging.next(page)


def _query(source: HttpSource, run: Run) -> dict[str, str]:
    values = {name: filled(text, query_values(run)) for name, text in source.query.items()}
    return {name: value for name, value in values.items() if value is not None}


def _page(source: HttpSource, answer: Answer) -> JsonPage:
    assert source.pages is not None  # noqa: S101 - asked before
    items = source.pages.items
    content = _decoded(source, answer)
    fields = content if isinstance(content, dict) else {}
    rows = content if items is None else fields.get(items)
    if isinstance(rows, list) and all(isinstance(row, dict) for row in rows):
        if fault := error_told(fields):
            raise ContractError(f"Source {source.name!r}: the answer tells of an error, {fault}")
        return JsonPage(fields, rows, answer.headers, answer.url)
    wanted = "is no list of objects" if items is None else f"has no list of objects {items!r}"
    raise ContractError(f"Source {source.name!r}: the answer {wanted}; {_told(fields)}")


def _decoded(source: HttpSource, answer: Answer) -> Any:
    kind = answer.headers.get("Content-Type", "")[:MAX_NAMED]
    body = answer.body.read_whole()
    try:
        # Without a charset JSON is UTF-8, -16 or -32, which its first bytes tell.
        text: str | bytes = body.decode(charset) if (charset := charset_of(kind)) else body
        return json.loads(text, parse_float=Decimal)
    except (ValueError, LookupError, RecursionError, InvalidOperation):
        raise ContractError(
            f"Source {source.name!r}: GET {source.path} answered {kind!r}, not JSON."
        ) from None


def _told(fields: Mapping[str, Any]) -> str:
    """Return what the service said of a fault, or else which fields it sent."""
    said = [f"{name}: {told(fields[name])}" for name in FAULT_FIELDS if name in fields]
    return "; ".join(said) or f"it has: {told(', '.join(sorted(fields))) or 'no fields'}."
