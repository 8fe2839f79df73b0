"""CSV is read by the declared types; NULL, empty text and look-alikes stay apart (F31, F78)."""

from __future__ import annotations

import io
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from reporting.core.fetch.csv_stream import BLOCK_BYTES, csv_batches
from reporting.definition.columns import columns_from
from reporting.errors import ContractError

pytestmark = pytest.mark.unit


def rows(body: bytes, **columns: str) -> dict[str, list[Any]]:
    declared = columns_from("x", columns)
    batches = list(csv_batches(io.BytesIO(body), declared, "Source 's'"))
    return pa.Table.from_batches(batches).to_pydict() if batches else {}


def test_only_an_unquoted_empty_field_is_null() -> None:
    body = b'id,v\n1,\n2,""\n3,NULL\n4,NA\n5,nan\n6,\\N\n7," "\n8,00123\n9,true\n'

    assert rows(body, id="int64", v="text")["v"] == [
        None, "", "NULL", "NA", "nan", "\\N", " ", "00123", "true",
    ]  # fmt: skip


def test_a_null_in_the_only_column_is_a_row() -> None:
    """A blank line is how COPY writes it; to skip it would lose the row."""
    assert rows(b"v\na\n\nb\n", v="text")["v"] == ["a", None, "b"]


def test_blank_lines_between_rows_of_several_columns_are_skipped() -> None:
    assert rows(b"a,b\n1,2\n\n3,4\n", a="int64", b="int64")["a"] == [1, 3]


def test_quotes_line_feeds_and_unicode_stay() -> None:
    body = 'id,v\n1,"a ""b"", c\nd\r\ne"\n2,é\U0001f600\n'.encode()

    assert rows(body, id="int64", v="text")["v"] == ['a "b", c\nd\r\ne', "é\U0001f600"]


def test_a_byte_order_mark_and_another_column_order_do_not_matter() -> None:
    assert rows("\ufeffv,id\nx,1\n".encode(), id="int64", v="text") == {"v": ["x"], "id": [1]}


def test_numbers_are_exact() -> None:
    body = b"i,d,f\n9007199254740993,12345678901234.567891,NaN\n-1,-0.005,-Infinity\n"

    got = rows(body, i="int64", d="decimal(20,6)", f="float64")

    assert got["i"] == [9007199254740993, -1]
    assert got["d"] == [Decimal("12345678901234.567891"), Decimal("-0.005")]
    assert str(got["f"]) == "[nan, -inf]"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"", ["Source 's'", "mpty"]),
        (b"id\n", ["missing: v"]),
        (b"id,v,w\n", ["not declared: w"]),
        (b"id,v,v\n", ["repeated: v"]),
        (b"id,v\n1,a,b\n", ["Source 's'", "Expected 2 columns, got 3"]),
        (b"id,v\nn/a,a\n", ["Source 's'", "n/a"]),
        (b"id,v\n1.0,a\n", ["Source 's'", "1.0"]),
        (b"id,v\n1,\xff\n", ["Source 's'", "UTF8"]),
    ],
)
def test_another_shape_is_refused_also_without_rows(body: bytes, words: list[str]) -> None:
    with pytest.raises(ContractError) as refusal:
        rows(body, id="int64", v="text")

    for word in words:
        assert word in str(refusal.value)


def test_a_time_without_zone_is_no_instant() -> None:
    with pytest.raises(ContractError):
        rows(b"id,t\n1,2024-05-01 00:00:00\n", id="int64", t="timestamptz")


def test_a_row_longer_than_a_block_is_refused_by_name() -> None:
    body = b"id,v\n1,a\n2," + b"x" * (3 * BLOCK_BYTES) + b"\n"
    with pytest.raises(ContractError, match="Source 's': a row is longer than 1048576 bytes"):
        rows(body, id="int64", v="text")
