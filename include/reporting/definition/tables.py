"""Tables: the figures a report publishes, and the files made from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from reporting.definition.checked import checked
from reporting.definition.columns import Column, ColumnType, columns_from
from reporting.definition.names import check_name, check_unique
from reporting.errors import DefinitionError, choices

# Two values of these are equal for everybody or for nobody. It is not so for floats (0.0 and -0.0),
# intervals (P1M and P30D) and jsonb (spaces); json and lists are compared by some programs only.
KEY_KINDS = (
    "int64", "int32", "int16", "decimal", "text", "bool", "date", "time", "timestamp",
    "timestamptz", "bytes", "uuid",
)  # fmt: skip
MAX_KEY_COLUMNS = 31  # PostgreSQL's 32 for an index, less release_id
MAX_COLUMNS = 1597  # PostgreSQL's 1600 for a view, less period, params and release_id
SYSTEM_COLUMNS = ("ctid", "xmin", "xmax", "cmin", "cmax", "tableoid")  # PostgreSQL's own
RESERVED = ("release_id", "period", "params", *SYSTEM_COLUMNS)


@checked
@dataclass(frozen=True)
class Table:
    """One published table.

    Attributes:
        name: unique within the report.
        key: columns that no two rows of a release share; they are never NULL, and of a type
            whose values are equal or not for every program: no floats, intervals, JSON, lists.
        columns: `{name: type}`, see `reporting.definition.columns`.
    """

    name: str
    key: Sequence[str]
    columns: Mapping[str, ColumnType]

    def __post_init__(self) -> None:
        """Refuse an invalid name, a key that is none, and columns that cannot be stored."""
        check_name("Table", self.name)
        self._check_key()
        self._check_columns()

    def _check_key(self) -> None:
        where = f"Table {self.name!r}"
        check_unique(f"{where}: key column", list(self.key))
        if not 1 <= len(self.key) <= MAX_KEY_COLUMNS:
            raise DefinitionError(
                f"{where}: key has {len(self.key)} columns; allowed: 1 to {MAX_KEY_COLUMNS}."
            )
        columns = {column.name: column for column in self.schema}
        for name in self.key:
            if name not in columns:
                raise DefinitionError(
                    f"{where}: key column {name!r} is not declared; {choices(tuple(columns), name)}"
                )
            if columns[name].is_list or columns[name].kind not in KEY_KINDS:
                raise DefinitionError(
                    f"{where}: key column {name!r} has type {self.columns[name]!r}, of which "
                    f"programs disagree what is equal; {choices(KEY_KINDS, '')}"
                )

    def _check_columns(self) -> None:
        if len(self.columns) > MAX_COLUMNS:
            raise DefinitionError(
                f"Table {self.name!r}: {len(self.columns)} columns; allowed: {MAX_COLUMNS}."
            )
        for name in self.columns:
            if name in RESERVED:
                raise DefinitionError(
                    f"Table {self.name!r}: column {name!r} is added by the warehouse; allowed: "
                    f"any name but {', '.join(RESERVED)}."
                )

    @property
    def schema(self) -> tuple[Column, ...]:
        """The declared columns in order."""
        return columns_from(f"Table {self.name!r}", self.columns)


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
