"""Reading one query in several parts at once."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from reporting.definition.checked import checked
from reporting.definition.names import check_line
from reporting.errors import DefinitionError, choices

FEWEST, MOST = 2, 16


@checked
@dataclass(frozen=True)
class Shards:
    """Reads a query in `number` parts at once, each over a connection of its own.

    All parts see one snapshot, and together they have each row once. A whole-number column is
    split by ranges, which an index on it makes quick; any other column is split by a hash of it.

    Attributes:
        number: how many parts, 2 to 16; one connection more is needed to hold the snapshot.
        by: the column of the query that decides; its value must not change from one reading of
            the query to the next, as `row_number()` and `random()` may.
    """

    number: int
    by: str

    def __post_init__(self) -> None:
        """Refuse a number that makes no sense."""
        if not FEWEST <= self.number <= MOST:
            raise DefinitionError(f"Shards: number={self.number}; allowed: {FEWEST} to {MOST}.")
        check_line("Shards: by", self.by)

    def check(self, where: str, columns: Collection[str]) -> None:
        """Refuse a column that is not among those of the source.

        Raises:
            DefinitionError: naming the nearest one.
        """
        if self.by not in columns:
            raise DefinitionError(
                f"{where}: shards by column {self.by!r}; {choices(tuple(columns), self.by)}"
            )
