"""CSV is text until the declared types are made of it; NULL, empty and look-alikes stay apart."""

from __future__ import annotations

import csv
import io
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reporting.core.fetch.csv_stream import BLOCK_BYTES, csv_tables
from reporting.core.fit import Refused, fit
from reporting.core.text_columns import from_text
from reporting.definition.columns import columns_from
from reporting.errors import ContractError

pytestmark = pytest.mark.unit


def read(stream: Any, **columns: str) -> tuple[dict[str, list[Any]], list[Refused]]:
    """Return the values of the declared types, and the malformed rows."""
    declared = columns_from("x", columns)
    malformed: list[Refused] = []
    tables = list(csv_tables(stream, declared, "Source 's'", malformed))
    if not tables:
        return {name: [] for name in columns}, malformed
    table, refused = fit(pa.concat_tables(tables), declared, from_text)
    assert refused == []
    return table.to_pydict(), malformed


def rows(body: bytes, **columns: str) -> dict[str, list[Any]]:
    values, malformed = read(io.BytesIO(body), **columns)
    assert malformed == []
    return values


def test_f31_only_an_unquoted_empty_field_is_null() -> None:
    body = b'id,v\n1,\n2,""\n3,NULL\n4,NA\n5,nan\n6,\\N\n7," "\n8,00123\n9,true\n'

    assert rows(body, id="int64", v="text")["v"] == [
        None, "", "NULL", "NA", "nan", "\\N", " ", "00123", "true",
    ]  # fmt: skip


@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n"])
def test_a_null_in_the_only_column_is_a_row(end: bytes) -> None:
    """A blank line is how COPY writes it; to skip it would lose the row."""
    assert rows(b"v\na\n\nb" + end, v="text")["v"] == ["a", None, "b"]
    assert rows(b"v\n\n" + end, v="text")["v"] == [None] * (2 if end else 1)


def test_blank_lines_between_rows_of_several_columns_are_skipped() -> None:
    assert rows(b"\na,b\n1,2\n\n3,4\n\n", a="int64", b="int64")["a"] == [1, 3]


def test_quotes_line_feeds_and_unicode_stay() -> None:
    body = 'id,v\n1,"a ""b"", c\nd\r\ne"\n2,é\U0001f600\n'.encode()

    assert rows(body, id="int64", v="text")["v"] == ['a "b", c\nd\r\ne', "é\U0001f600"]


def test_a_byte_order_mark_and_another_column_order_do_not_matter() -> None:
    assert rows("\ufeffv,id\nx,1\n".encode(), id="int64", v="text") == {"id": [1], "v": ["x"]}


@pytest.mark.parametrize("body", [b"id,v", b"id,v\n", b"id,v\r\n\r\n"])
def test_a_heading_alone_is_an_empty_source(body: bytes) -> None:
    assert rows(body, id="int64", v="text") == {"id": [], "v": []}


def test_f30_numbers_are_exact() -> None:
    body = b"i,d,f\n9007199254740993,12345678901234.567891,NaN\n-1,-0.005,-Infinity\n"

    got = rows(body, i="int64", d="decimal(20,6)", f="float64")

    assert got["i"] == [9007199254740993, -1]
    assert got["d"] == [Decimal("12345678901234.567891"), Decimal("-0.005")]
    assert str(got["f"]) == "[nan, -inf]"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"", ["mpty"]),
        (b"id\n", ["missing: v"]),
        (b"id,v,w\n", ["added: w"]),
        (b"id,v,v\n", ["repeated: v"]),
        (b"ID,v\n1,a\n", ["missing: id; added: ID", "Change `columns`"]),
        (b"id,v\n1,\xff\n", ["UTF8"]),
        (b"id,v\n1,\xff,2\n", ["got 3"]),
        (b"\x1f\x8b\x08\x00", ["heading", "UTF-8"]),
    ],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_another_shape_is_refused_also_without_rows(body: bytes, words: list[str]) -> None:
    with pytest.raises(ContractError) as refusal:
        read(io.BytesIO(body), id="int64", v="text")

    for word in (*words, "Source 's'"):
        assert word in str(refusal.value)


@pytest.mark.parametrize("body", [b'id,v\n1,"a\n2,b\n3,c\n', b'id,v\n"1,a\n', b'id,v\n1,"a'])
def test_f49_quotes_that_are_never_closed_swallow_no_row(body: bytes) -> None:
    with pytest.raises(ContractError, match="Source 's': quotes are opened and not closed"):
        read(io.BytesIO(body), id="int64", v="text")


def test_malformed_rows_are_told_with_their_place_and_text() -> None:
    """F33: a heading and blank lines do not count; a row of several lines is one."""
    body = b'id,v\n\n1,"a\n\nb"\n2,b,c\n3\n4,d\n,,,,\n'

    values, malformed = read(io.BytesIO(body), id="int64", v="text")

    assert values["id"] == [1, 4]
    assert [(row.row, dict(row.values)) for row in malformed] == [
        (2, {"": "2,b,c"}), (3, {"": "3"}), (5, {"": ",,,,"}),
    ]  # fmt: skip
    assert malformed[0].reason == "3 fields; allowed: 2, as in the header."


def test_a_malformed_row_comes_with_the_table_that_it_was_among() -> None:
    """The reader is a block ahead; told too early, a row would shift the numbers before it."""
    good = b"1,x\n" * (BLOCK_BYTES // 4)
    body = b"id,v\n1,2,3\n" + good + good + b"1,2,3\n" + good
    malformed: list[Refused] = []
    seen, known = 0, []

    for table in csv_tables(
        io.BytesIO(body), columns_from("x", {"id": "int64", "v": "text"}), "s", malformed
    ):
        seen += table.num_rows
        known.append((seen, [row.row for row in malformed]))
        assert all(row.row <= seen + len(malformed) for row in malformed)

    assert seen == 3 * len(good) // 4
    assert known[0][1] == [1]
    assert known[-1][1] == [1, 2 + 2 * len(good) // 4]


def test_a_row_longer_than_a_block_is_refused_by_name() -> None:
    body = b"id,v\n1,a\n2," + b"x" * (3 * BLOCK_BYTES) + b"\n"
    with pytest.raises(ContractError, match="Source 's': a row is longer than 4194304 bytes"):
        read(io.BytesIO(body), id="int64", v="text")


class Trickle(io.BytesIO):
    """Gives few bytes at a time, as a socket may."""

    def read(self, size: int | None = -1, /) -> bytes:
        return super().read(min(7, size if size and size > 0 else 7))


TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8)


@given(st.lists(st.tuples(TEXTS, TEXTS), max_size=20), st.sampled_from(["\n", "\r\n"]),
       st.booleans())  # fmt: skip
def test_f31_any_texts_come_back(
    pairs: list[tuple[str, str]], line_end: str, has_last_end: bool
) -> None:
    out = io.StringIO(newline="")
    csv.writer(out, lineterminator=line_end, quoting=csv.QUOTE_ALL).writerows([("a", "b"), *pairs])
    written = out.getvalue() if has_last_end else out.getvalue().removesuffix(line_end)

    values, malformed = read(Trickle(written.encode()), a="text", b="text")

    assert malformed == []
    assert list(zip(values["a"], values["b"], strict=True)) == pairs
