"""Tables: the figures a report publishes, and the files made from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from reporting.definition.checked import checked
from reporting.definition.columns import Column, ColumnType, columns_from
from reporting.definition.names import check_name, check_unique
from reporting.errors import DefinitionError, choices


@checked
@dataclass(frozen=True)
class Table:
    """One published table.

    Attributes:
        name: unique within the report.
        key: columns that no two rows of a release share; they are never NULL.
        columns: `{name: type}`, see `reporting.definition.columns`.
    """

    name: str
    key: Sequence[str]
    columns: Mapping[str, ColumnType]

    def __post_init__(self) -> None:
        """Refuse an invalid name and a key that is no column."""
        check_name("Table", self.name)
        check_unique(f"Table {self.name!r}: key column", list(self.key))
        for name in self.key:
            if name not in self.columns:
                raise DefinitionError(
                    f"Table {self.name!r}: key column {name!r} is not declared; "
                    f"{choices(tuple(self.columns), name)}"
                )
        if not self.key:
            raise DefinitionError(f"Table {self.name!r}: key is empty; name at least one column.")
        for name in (column.name for column in self.schema):
            if name in RESERVED:
                raise DefinitionError(
                    f"Table {self.name!r}: column {name!r} is added by the warehouse; allowed: "
                    f"any name but {', '.join(RESERVED)}."
                )

    @property
    def schema(self) -> tuple[Column, ...]:
        """The declared columns in order."""
        return columns_from(f"Table {self.name!r}", self.columns)


SYSTEM_COLUMNS = ("ctid", "xmin", "xmax", "cmin", "cmax", "tableoid")  # PostgreSQL's own
RESERVED = ("release_id", "period", "params", *SYSTEM_COLUMNS)


@checked
@dataclass(frozen=True)
class Csv:
    """One CSV file per table: UTF-8 with BOM, safe to open in a spreadsheet."""

    suffix: str = field(default="csv", init=False)


@checked
@dataclass(frozen=True)
class Xlsx:
    """One XLSX workbook per table."""

    suffix: str = field(default="xlsx", init=False)


Export = Csv | Xlsx
