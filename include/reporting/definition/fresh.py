"""How old the newest row of a source may be."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from reporting.definition.checked import checked
from reporting.errors import DefinitionError, choices

if TYPE_CHECKING:
    from reporting.definition.columns import Column

KINDS = ("timestamptz", "timestamp", "date")
NOTHING = timedelta(0)


@checked
@dataclass(frozen=True)
class Fresh:
    """The newest row must lie within a span before the end of the period.

    While the period is not over, the span ends now. A day or a time without zone is taken as one
    of the report's zone, a day as its end.

    Attributes:
        column: tells the age of a row; of type `timestamptz`, `timestamp` or `date`.
        within: the span.
    """

    column: str
    within: timedelta

    def __post_init__(self) -> None:
        """Refuse a span that no row can lie in."""
        if self.within <= NOTHING:
            raise DefinitionError(f"Fresh: within={self.within}; allowed: more than {NOTHING}.")

    def check(self, where: str, columns: tuple[Column, ...]) -> None:
        """Refuse a column that is not declared, or that tells no time.

        Raises:
            DefinitionError: naming those that may be used.
        """
        usable = tuple(c.name for c in columns if c.kind in KINDS and not c.is_list)
        if self.column not in usable:
            raise DefinitionError(
                f"{where}: fresh column {self.column!r} is no declared {', '.join(KINDS)}; "
                f"{choices(usable, self.column)}"
            )
