"""Column types: the words a definition uses, and what they mean.

| word                    | holds                                                          |
|-------------------------|----------------------------------------------------------------|
| `int64` `int32` `int16` | whole numbers                                                  |
| `float64` `float32`     | binary floating point, NaN and infinities included             |
| `decimal(p,s)`          | exact decimals, p digits of which s after the point            |
| `text`                  | any Unicode text                                               |
| `bool`                  | true or false                                                  |
| `date`                  | a calendar day, year 1 to 9999                                 |
| `time`                  | a time of day without zone, in microseconds                    |
| `timestamp`             | a wall-clock time without zone, in microseconds                |
| `timestamptz`           | an instant, kept as UTC microseconds                           |
| `interval`              | months, days and microseconds, as ISO 8601 text: `P1M2DT3.5S`  |
| `bytes`                 | any bytes                                                      |
| `uuid`                  | a UUID, as lower-case text with hyphens                        |
| `json` `jsonb`          | a JSON document, as text                                       |

`[]` after a type makes it a list, such as `int64[]`; its elements may be NULL.
Every column may be NULL unless its type ends in `not null`.
A name is any text of 1 to 63 bytes of UTF-8 without NUL; two columns may not share one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated

from reporting.definition.names import is_storable
from reporting.definition.other_type_names import nearest_type
from reporting.errors import DefinitionError

PLAIN_TYPES = (
    "int64", "int32", "int16", "float64", "float32", "text", "bool", "date", "time", "timestamp",
    "timestamptz", "interval", "bytes", "uuid", "json", "jsonb",
)  # fmt: skip
MAX_PRECISION = 38
MAX_IDENTIFIER_BYTES = 63
LIST = "[]"
NOT_NULL = " not null"
ALLOWED = (
    f"{', '.join(map(repr, sorted(PLAIN_TYPES)))}, 'decimal(p,s)' with p from 1 to {MAX_PRECISION} "
    f"and s from 0 to p, each also with {LIST!r} and with {NOT_NULL!r} after it"
)
_DECIMAL = re.compile(r"decimal\(\s*(\d+)\s*,\s*(\d+)\s*\)\Z")


@dataclass(frozen=True)
class Column:
    """One column of a source or a table.

    Attributes:
        name: as the source or the table calls it; any text of up to 63 bytes.
        kind: one of `PLAIN_TYPES`, or `decimal`; of a list, that of its elements.
        precision: total digits of a decimal, else 0.
        scale: digits after the point of a decimal, else 0.
        nullable: whether NULL is allowed.
        is_list: whether a value is a list of such values.
    """

    name: str
    kind: str
    precision: int = 0
    scale: int = 0
    nullable: bool = True
    is_list: bool = False

    @property
    def type(self) -> str:
        """The type as a definition writes it."""
        kind = f"decimal({self.precision},{self.scale})" if self.kind == "decimal" else self.kind
        return kind + LIST * self.is_list + NOT_NULL * (not self.nullable)

    @property
    def element(self) -> Column:
        """What the elements of a list are."""
        return replace(self, is_list=False, nullable=True)


ColumnType = Annotated[str, ALLOWED]


def columns_from(where: str, declared: Mapping[str, str]) -> tuple[Column, ...]:
    """Read the declared columns `{name: type}` of a source or table.

    Raises:
        DefinitionError: a name or a type is not allowed.
    """
    return tuple(column_from(where, name, text) for name, text in declared.items())


def column_from(where: str, name: str, text: str) -> Column:
    """Read one declared column.

    Raises:
        DefinitionError: its name or its type is not allowed.
    """
    # A lone surrogate has no UTF-8 form; it is counted here and refused below.
    size = len(name.encode(errors="surrogatepass"))
    if not name or size > MAX_IDENTIFIER_BYTES or not is_storable(name):
        raise DefinitionError(
            f"{where}: column {name!r} has {size} bytes; "
            f"allowed: 1 to {MAX_IDENTIFIER_BYTES} bytes of UTF-8 without NUL."
        )
    nullable = not text.endswith(NOT_NULL)
    kind = text.removesuffix(NOT_NULL).strip()
    is_list = kind.endswith(LIST)
    kind = kind.removesuffix(LIST).strip()
    if kind in PLAIN_TYPES:
        return Column(name, kind, nullable=nullable, is_list=is_list)
    if match := _DECIMAL.match(kind):
        precision, scale = int(match[1]), int(match[2])
        if 1 <= precision <= MAX_PRECISION and scale <= precision:
            return Column(name, "decimal", precision, scale, nullable, is_list)
    near = nearest_type(kind, [*PLAIN_TYPES, *(known + NOT_NULL for known in PLAIN_TYPES)])
    meant = f"{near}{LIST * is_list}{NOT_NULL * (not nullable)}"
    hint = f" Did you mean {meant!r}?" if near and meant != text else ""
    raise DefinitionError(f"{where}: column {name!r} has type {text!r}; allowed: {ALLOWED}.{hint}")
