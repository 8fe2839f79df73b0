"""PostgreSQL's types: what a column may be declared as, and what it is when it is not.

`docs/reference/types.md` has the table that these rules make.

A value that its declared type cannot hold (a number with more digits, NaN in a numeric, infinity
or a BC year in a date or time, `24:00` in a time, an array of two dimensions) is a row that does
not fit. `char(n)` keeps its padding. What has no type of its own is text as the server writes it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reporting.definition.columns import MAX_PRECISION, Column

if TYPE_CHECKING:
    from collections.abc import Sequence

UNBOUNDED = (MAX_PRECISION, 20)  # as many fraction digits as PostgreSQL's own division gives
MONEY = (19, 2)
KINDS: Mapping[str, str] = {
    "int2": "int16",
    "int4": "int32",
    "int8": "int64",
    "oid": "int64",
    "numeric": "decimal",
    "money": "decimal",
    "float4": "float32",
    "float8": "float64",
    "bool": "bool",
    "bytea": "bytes",
    "date": "date",
    "time": "time",
    "timestamp": "timestamp",
    "timestamptz": "timestamptz",
    "interval": "interval",
    "uuid": "uuid",
    "json": "json",
    "jsonb": "jsonb",
}
INTEGERS = ("int16", "int32", "int64")
# Declared kind: the kinds it may be read from besides its own, no value being changed by it.
ALSO_FROM: Mapping[str, Sequence[str]] = {
    **dict.fromkeys(INTEGERS, (*INTEGERS, "decimal")),
    "decimal": INTEGERS,
    "text": ("interval", "uuid", "json", "jsonb"),
    "json": ("jsonb",),
    "timestamp": ("date",),
}


@dataclass(frozen=True)
class ServerColumn:
    """A column of a query as the server describes it.

    Attributes:
        name: as the query calls it.
        type: as the server spells it, such as `character varying(3)`.
        base: name of the type beneath domains and arrays, such as `int4`; one that is not
            PostgreSQL's own has its schema before it.
        modifier: the server's number for precision and scale; -1 when it has none.
        is_list: whether it is an array.
    """

    name: str
    type: str
    base: str
    modifier: int
    is_list: bool

    @property
    def kind(self) -> str:
        """The kind of column, or of its elements, that holds every value."""
        return KINDS.get(self.base, "text")

    @property
    def inferred(self) -> Column:
        """The column as it is when nothing is declared."""
        precision, scale = self._digits() if self.kind == "decimal" else (0, 0)
        return Column(self.name, self.kind, precision, scale, is_list=self.is_list)

    def may_be(self, declared: Column) -> bool:
        """Say whether the column may be read as the declared one."""
        own = self.kind == declared.kind
        return self.is_list == declared.is_list and (
            own or self.kind in ALSO_FROM.get(declared.kind, ())
        )

    def _digits(self) -> tuple[int, int]:
        if self.base == "money":
            return MONEY
        if self.modifier < 0:
            return UNBOUNDED
        precision = (self.modifier - 4) >> 16
        scale = (((self.modifier - 4) & 0x7FF) ^ 1024) - 1024
        # numeric(2,-3) counts thousands, numeric(2,5) has no digit before the fifth.
        return max(precision - min(scale, 0), scale), max(scale, 0)
