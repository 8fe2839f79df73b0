"""The pages of a service, one after the other, until its own word says that it was the last.

One class per way of paging. Each is told what has come and says what to ask next; each finds a
service that never ends, because it repeats itself.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urljoin

from reporting.core.fetch.client import Asked
from reporting.core.fetch.link_header import next_link
from reporting.core.redact import tells_of_a_secret
from reporting.definition.names import is_storable
from reporting.definition.pages import CursorPages, LinkPages, NumberPages, Pages
from reporting.errors import ContractError, TransientError

if TYPE_CHECKING:
    from reporting.definition.sources import HttpSource

NAMED_CHARACTERS = 40


class Page(Protocol):
    """What a way of paging looks at."""

    @property
    def fields(self) -> Mapping[str, Any]:
        """The answer's own fields; none when it is a list."""

    @property
    def rows(self) -> Sequence[Mapping[str, Any]]:
        """The rows."""

    @property
    def headers(self) -> Mapping[str, str]:
        """The answer's headers."""

    @property
    def url(self) -> str:
        """What has answered."""


class Paging(Protocol):
    """A way of paging."""

    def next(self, page: Page) -> Asked | None:
        """Return what to ask after this page, or None after the last."""


def paging_of(source: HttpSource, first: Asked) -> tuple[Asked, Paging]:
    """Return the request of the first page, and how to go on."""
    where = f"Source {source.name!r}"
    match source.pages:
        case CursorPages() as pages:
            return first, _ByCursor(where, pages, first)
        case NumberPages() as pages:
            numbered = _ByNumber(where, pages, first)
            return numbered.asked(), numbered
        case _:
            return first, _ByLink(where)


def page_name(pages: Pages, number: int, asked: Asked, first_row: int) -> str:
    """Return what a page is called in messages: never by what could be secret, such as a link.

    Args:
        pages: the way of paging.
        number: how many pages came before, and one.
        asked: how the page was asked for.
        first_row: number of its first row in the source.
    """
    facts = [f"from row {first_row}"]
    if not isinstance(pages, LinkPages) and not tells_of_a_secret(pages.param):
        value = asked.query.get(pages.param)
        facts[:0] = [] if value is None else [f"{pages.param}={value[:NAMED_CHARACTERS]!r}"]
    return f"page {number} ({', '.join(facts)})"


class _ByCursor:
    def __init__(self, where: str, pages: CursorPages, first: Asked) -> None:
        self._where, self._pages, self._first = where, pages, first
        self._seen: set[str] = set()

    def next(self, page: Page) -> Asked | None:
        cursor = self._cursor(page)
        if cursor is None:
            return None
        if cursor in self._seen:
            raise ContractError(
                f"{self._where}: the service repeats cursor {cursor[:NAMED_CHARACTERS]!r}; "
                "its pages go in circles and nothing was committed."
            )
        self._seen.add(cursor)
        return _asked_with(self._first, self._pages.param, cursor)

    def _cursor(self, page: Page) -> str | None:
        """Return the next cursor; only null or no such field is the end, an empty text is not."""
        cursor = page.fields.get(self._pages.field)
        if cursor is None:
            return None
        if isinstance(cursor, bool) or not isinstance(cursor, str | int):
            raise ContractError(
                f"{self._where}: cursor {self._pages.field!r} is "
                f"{str(cursor)[:NAMED_CHARACTERS]!r}; "
                "allowed: text, a whole number, or null at the end."
            )
        if not is_storable(str(cursor)):
            raise ContractError(
                f"{self._where}: cursor {self._pages.field!r} is "
                f"{str(cursor)[:NAMED_CHARACTERS]!r}; allowed: no NUL, nor half a character."
            )
        return str(cursor)


class _ByNumber:
    def __init__(self, where: str, pages: NumberPages, first: Asked) -> None:
        self._where, self._pages, self._first = where, pages, first
        self._number = pages.first
        self._rows = 0
        self._total: int | None = None
        self._last_page = ""
        self._keys: set[tuple[Any, ...]] = set()

    def asked(self) -> Asked:
        """Return the request of the page at hand."""
        return _asked_with(self._first, self._pages.param, str(self._number))

    def next(self, page: Page) -> Asked | None:
        self._demand_new(page)
        self._demand_unchanged(page)
        self._rows += len(page.rows)
        if self._is_last(page):
            return None
        self._number += self._pages.step or len(page.rows)
        return self.asked()

    def _is_last(self, page: Page) -> bool:
        if self._pages.more is not None:
            return not self._signal(page, self._pages.more, bool)
        if self._total is None:
            return not page.rows
        if page.rows and self._rows < self._total:
            return False
        if self._rows == self._total:
            return True
        raise TransientError(
            f"{self._where}: {self._rows} rows came, the service counts {self._total}; "
            "it changed while it was read. Nothing was committed."
        )

    def _demand_new(self, page: Page) -> None:
        """Find a service that answers every page with the same rows."""
        digest = hashlib.sha256(json.dumps(page.rows, default=str).encode()).hexdigest()
        if page.rows and digest == self._last_page:
            raise ContractError(
                f"{self._where}: {self._pages.param}={self._number} gives the same rows as the "
                "page before; the service ignores it. Nothing was committed."
            )
        self._last_page = digest

    def _demand_unchanged(self, page: Page) -> None:
        if self._pages.total is not None:
            total = self._signal(page, self._pages.total, int)
            if self._total not in (None, total):
                raise TransientError(
                    f"{self._where}: {self._pages.total} was {self._total} and is {total} now; "
                    "the service changed while it was read. Nothing was committed."
                )
            self._total = total
        for row in page.rows if self._pages.key else ():
            key = tuple(str(row.get(name)) for name in self._pages.key)
            if key in self._keys:
                raise TransientError(
                    f"{self._where}: key {key} came twice; pages have shifted while they were "
                    "read. Nothing was committed."
                )
            self._keys.add(key)

    def _signal(self, page: Page, name: str, kind: type) -> Any:
        value = page.fields.get(name)
        if type(value) is not kind:
            raise ContractError(
                f"{self._where}: {name!r} is {str(value)[:NAMED_CHARACTERS]!r}; "
                f"allowed: {'a whole number' if kind is int else 'true or false'}."
            )
        return value


class _ByLink:
    def __init__(self, where: str) -> None:
        self._where = where
        self._seen: set[str] = set()

    def next(self, page: Page) -> Asked | None:
        link = next_link(page.headers.get("Link", ""))
        if link is None:
            return None
        if link in self._seen:
            raise ContractError(
                f"{self._where}: the service links to a page it has linked to before; "
                "its pages go in circles and nothing was committed."
            )
        self._seen.add(link)
        try:
            return Asked(urljoin(page.url, link))
        except ValueError:
            raise ContractError(
                f"{self._where}: the link to the next page is no address; nothing was committed."
            ) from None


def _asked_with(first: Asked, param: str, value: str) -> Asked:
    return Asked(first.path, {**first.query, param: value})
