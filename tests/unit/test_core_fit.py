"""Rows that do not fit are sorted out one by one; the others stay as they are (F33, F35)."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reporting.core.fit import LONGEST_VALUE, Refused, conform, fit
from reporting.core.quarantine import lines_of, refused_from
from reporting.core.text_columns import from_text
from reporting.definition.columns import Column, columns_from
from reporting.errors import ContractError

pytestmark = pytest.mark.unit


def texts(**columns: list[str | None]) -> pa.Table:
    return pa.table({name: pa.array(values, pa.string()) for name, values in columns.items()})


def fitted(columns: dict[str, str], **values: list[str | None]) -> tuple[Any, list[Refused]]:
    table, refused = fit(texts(**values), columns_from("x", columns), from_text, 10)
    return table.to_pylist(), refused


def test_f35_one_poisoned_row_among_a_thousand_is_the_only_one_refused() -> None:
    ids = [str(number) for number in range(1000)]
    names: list[str | None] = ["good"] * 1000
    names[617] = "ab\0cd"

    rows, refused = fitted({"id": "int64", "name": "text"}, id=[*ids], name=names)

    assert [row["id"] for row in rows] == [n for n in range(1000) if n != 617]
    assert refused == [
        Refused(
            10 + 617 + 1,
            "name",
            r"'ab\x00cd' (text with a NUL character); allowed: text.",
            {"id": "617", "name": "ab\0cd"},
        )
    ]


def test_a_row_with_several_faults_counts_once_by_its_first_declared_column() -> None:
    rows, refused = fitted(
        {"a": "int64 not null", "b": "date", "c": "bool"},
        c=["x", "t", None],
        b=["x", "2024-05-01", "2024-05-01"],
        a=["x", None, "3"],
    )

    assert [row["a"] for row in rows] == [3]
    assert [(row.row, row.column, row.reason) for row in refused] == [
        (11, "a", "'x'; allowed: int64 not null."),
        (12, "a", "NULL; allowed: int64 not null."),
    ]
    assert list(refused[0].values) == ["c", "b", "a"]


def test_a_long_value_is_cut_in_the_reason_and_whole_in_the_row() -> None:
    _, (refused,) = fitted({"a": "int64"}, a=["x" * 1000])

    assert len(refused.reason) < LONGEST_VALUE + 50
    assert refused.values == {"a": "x" * 1000}


def test_the_error_names_source_row_column_value_and_what_is_allowed() -> None:
    _, (refused,) = fitted({"n": "int64"}, n=["1.5"])

    assert str(refused.error("Source 'x'")) == (
        "Source 'x', row 11, column 'n': '1.5'; allowed: int64."
    )


@settings(max_examples=60)
@given(st.lists(st.lists(st.none() | st.sampled_from(["1", "2", "x", "1.5"]), max_size=9)),
       st.booleans())  # fmt: skip
def test_any_mixture_in_any_chunks_is_sorted_out_exactly(
    chunks: list[list[str | None]], nullable: bool
) -> None:
    chunked = pa.chunked_array([pa.array(chunk, pa.string()) for chunk in chunks], pa.string())
    column = Column("v", "int64", nullable=nullable)

    table, refused = fit(pa.table({"v": chunked}), (column,), from_text)

    given = [value for chunk in chunks for value in chunk]
    good = ["1", "2"] + [None] * nullable
    assert table["v"].to_pylist() == [v and int(v) for v in given if v in good]
    assert [row.row for row in refused] == [n for n, v in enumerate(given, 1) if v not in good]
    assert [row.values["v"] for row in refused] == [v for v in given if v not in good]


@settings(max_examples=30)
@given(st.lists(st.builds(Refused, st.integers(1), st.text(), st.text(),
                          st.dictionaries(st.text(), st.none() | st.text()))))  # fmt: skip
def test_what_is_set_aside_is_read_back(refused: list[Refused]) -> None:
    """Line ends that only Unicode knows end no line."""
    assert refused_from(lines_of(refused)) == refused


def test_half_a_character_is_set_aside_and_read_back() -> None:
    refused = [Refused(1, "v", "?", {"v": "\ud800\0", "w": None})]

    assert refused_from(lines_of(refused)) == refused


def test_typed_data_conforms_or_is_refused_with_its_row() -> None:
    columns = columns_from("x", {"a": "int64", "b": "decimal(5,2) not null"})
    data = pa.table({"b": [1, 2], "a": [1.0, None]})

    assert conform(data, columns, "Table 't'").schema.names == ["a", "b"]
    with pytest.raises(ContractError, match=r"Table 't', row 2, column 'b': NULL; allowed: dec"):
        conform(pa.table({"b": [1, None], "a": [1, 2]}), columns, "Table 't'")
    with pytest.raises(ContractError, match=r"Table 't', row 2, column 'a': 1.5"):
        conform(pa.table({"b": [1, 2], "a": [1.0, 1.5]}), columns, "Table 't'")
    with pytest.raises(ContractError, match=r"missing: b; not declared: c"):
        conform(pa.table({"a": [1], "c": [1]}), columns, "Table 't'")


def test_no_rows_have_the_declared_types() -> None:
    table, refused = fit(texts(a=[]), columns_from("x", {"a": "decimal(5,2)[]"}), from_text)

    assert (table.schema.types, refused) == ([pa.list_(pa.decimal128(5, 2))], [])
