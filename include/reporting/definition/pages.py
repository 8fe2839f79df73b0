"""How a service tells its pages, and which is the last: always by its own word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reporting.definition.checked import checked
from reporting.definition.names import check_line
from reporting.errors import DefinitionError


@checked
@dataclass(frozen=True)
class CursorPages:
    """Pages that name the next one: the page's `field` is sent back as query `param`.

    Attributes:
        field: name in the answer that holds the next cursor; null or absent ends the reading.
        param: name of the query parameter that carries it.
        items: name in the answer that holds the rows.
    """

    field: str
    param: str = "cursor"
    items: str = "items"

    def __post_init__(self) -> None:
        """Refuse blank names, and one name for cursor and rows."""
        for name in ("field", "param", "items"):
            check_line(f"CursorPages: {name}", getattr(self, name))
        if self.field == self.items:
            raise DefinitionError(
                f"CursorPages: field and items are both {self.field!r}; allowed: two names."
            )


@checked
@dataclass(frozen=True)
class NumberPages:
    """Pages that are asked for by number, or by how many rows to leave out.

    The last one is told by `total` or `more`, whichever the service has; without either, it is
    the first page without rows. When rows come or go meanwhile, pages shift: a total that changes
    and a key that comes twice are found, and the whole source is read again.

    Attributes:
        param: name of the query parameter: a page number, or an offset.
        first: what the first page is asked by.
        step: how much is added for the next page; None adds as many as there were rows, which
            makes it an offset.
        total: name in the answer that holds the number of all rows.
        more: name in the answer that says whether there is another page.
        items: name in the answer that holds the rows; None when the answer is the list itself.
        key: columns that no two rows share.
    """

    param: str = "offset"
    first: int = 0
    step: int | None = None
    total: str | None = None
    more: str | None = None
    items: str | None = "items"
    key: Sequence[str] = ()

    def __post_init__(self) -> None:
        """Refuse blank names, two signals of the end, and signals where there is no place."""
        check_line("NumberPages: param", self.param)
        for name in ("total", "more", "items"):
            if getattr(self, name) is not None:
                check_line(f"NumberPages: {name}", getattr(self, name))
        if self.step is not None and self.step < 1:
            raise DefinitionError(f"NumberPages: step={self.step}; allowed: 1 or more, or None.")
        if self.total is not None and self.more is not None:
            raise DefinitionError(
                f"NumberPages: total={self.total!r} and more={self.more!r}; allowed: one of them."
            )
        if self.items is None and (self.total or self.more):
            raise DefinitionError(
                "NumberPages: items=None says that an answer is a list, which has no place for "
                "total or more; name the rows, or leave both out."
            )


@checked
@dataclass(frozen=True)
class LinkPages:
    """Pages that link to the next one in the header `Link`, with `rel="next"`; the last has none.

    Attributes:
        items: name in the answer that holds the rows; None when the answer is the list itself.
    """

    items: str | None = None

    def __post_init__(self) -> None:
        """Refuse a blank name."""
        if self.items is not None:
            check_line("LinkPages: items", self.items)


Pages = CursorPages | NumberPages | LinkPages
