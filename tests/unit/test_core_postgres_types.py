"""What PostgreSQL's types are when nothing is declared, and what they may be declared as."""

from __future__ import annotations

import pytest

from reporting.core.fetch.postgres_types import KINDS, ServerColumn
from reporting.definition.columns import Column, column_from, columns_from

pytestmark = pytest.mark.unit


def given(base: str, modifier: int = -1, *, is_list: bool = False) -> ServerColumn:
    return ServerColumn("v", base, base, modifier, is_list)


def numeric(precision: int, scale: int) -> int:
    """Return the modifier as PostgreSQL packs it."""
    return ((precision << 16) | (scale & 0x7FF)) + 4


@pytest.mark.parametrize(
    ("precision", "scale", "kind"),
    [
        (10, 2, "decimal(10,2)"),
        (38, 38, "decimal(38,38)"),
        (38, 0, "decimal(38,0)"),
        (2, -3, "decimal(5,0)"),  # counts thousands
        (2, 5, "decimal(5,5)"),  # no digit before the third after the point
        (1, -37, "decimal(38,0)"),
    ],
)
def test_a_numeric_is_as_wide_as_its_largest_value(precision: int, scale: int, kind: str) -> None:
    column = given("numeric", numeric(precision, scale))

    assert column.inferred == column_from("x", "v", kind)


@pytest.mark.parametrize(("precision", "scale"), [(39, 0), (1000, 500), (1, -38), (1, 39)])
def test_a_numeric_that_is_too_wide_says_so(precision: int, scale: int) -> None:
    assert given("numeric", numeric(precision, scale)).inferred.precision > 38


def test_each_kind_is_a_type_that_may_be_declared() -> None:
    types = {base: given(base).inferred.type for base in (*KINDS, "varchar", "inet", "own.enum")}

    assert types["numeric"] == "decimal(38,20)"
    assert types["money"] == "decimal(19,2)"
    assert types["varchar"] == types["inet"] == types["own.enum"] == "text"
    assert [c.type for c in columns_from("x", types)] == list(types.values())


FROM: dict[str, set[str]] = {
    "int64": {"int2", "int4", "int8", "oid", "numeric", "money"},
    "int16": {"int2", "int4", "int8", "oid", "numeric", "money"},
    "decimal(5,2)": {"int2", "int4", "int8", "oid", "numeric", "money"},
    "float64": {"float8"},
    "float32": {"float4"},
    "text": {"varchar", "own.enum", "interval", "uuid", "json", "jsonb"},
    "json": {"json", "jsonb"},
    "jsonb": {"jsonb"},
    "timestamp": {"timestamp", "date"},
    "timestamptz": {"timestamptz"},
    "date": {"date"},
    "bytes": {"bytea"},
    "bool": {"bool"},
}


@pytest.mark.parametrize("declared", FROM)
def test_f33_only_what_changes_no_value_may_be_declared_otherwise(declared: str) -> None:
    column: Column = column_from("x", "v", declared)
    bases = (*KINDS, "varchar", "own.enum")

    assert {base for base in bases if given(base).may_be(column)} == FROM[declared]
    assert not any(given(base, is_list=True).may_be(column) for base in bases)
    listed = column_from("x", "v", f"{declared}[]")
    assert {b for b in bases if given(b, is_list=True).may_be(listed)} == FROM[declared]
