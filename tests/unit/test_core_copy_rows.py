"""What COPY sends becomes blocks of rows, and rows become columns of text."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reporting.core.fetch import copy_rows
from reporting.core.fetch.copy_rows import BLOCK_BYTES, from_server_text, row_blocks, text_table
from reporting.core.fit import FAULTS
from reporting.definition.columns import column_from
from reporting.errors import ContractError

pytestmark = pytest.mark.unit


@settings(max_examples=60)
@given(st.lists(st.integers(1, 400), max_size=400), st.integers(0, 3))
def test_blocks_hold_all_rows_in_order_and_never_half_a_row(sizes: list[int], long: int) -> None:
    rows = [b"%d" % n + b"x" * size + b"\n" for n, size in enumerate(sizes)]
    rows += [b"y" * (BLOCK_BYTES // 2) + b"\n"] * long

    blocks = list(row_blocks(iter(rows)))

    assert b"".join(blocks) == b"".join(rows)
    assert all(block.endswith(b"\n") for block in blocks)
    assert len(blocks) <= 1 + long


def test_f64_long_rows_do_not_pile_up() -> None:
    long = b"x" * (20 * BLOCK_BYTES)
    taken = 0

    def rows() -> object:
        nonlocal taken
        for _ in range(10):
            taken += 1
            yield long

    blocks = row_blocks(rows())  # type: ignore[arg-type]

    for number in range(1, 4):
        assert len(next(blocks)) == len(long)
        assert taken == number


def test_short_rows_are_joined_to_blocks_of_their_size() -> None:
    blocks = list(row_blocks(iter([b"x" * 1000] * 5000)))

    sizes = [len(block) for block in blocks]
    assert sum(sizes) == 5_000_000
    assert all(BLOCK_BYTES <= size < 1.1 * BLOCK_BYTES for size in sizes[:-1])


def test_f31_null_and_empty_text_stay_apart_also_in_one_column() -> None:
    assert text_table(b'1,\n2,""\n3,NULL\n', ["a", "b"], "s")["b"].to_pylist() == [None, "", "NULL"]
    assert text_table(b'a\n\n""\n\n', ["b"], "s")["b"].to_pylist() == ["a", None, "", None]


def test_names_of_columns_are_only_names() -> None:
    names = ['a"b', "a.b", "a,b", "%s", " ", "a\nb", "1"]

    assert text_table(b"1,2,3,4,5,6,7\n", names, "s").schema.names == names


def test_bytes_that_are_no_text_are_refused_by_source() -> None:
    with pytest.raises(ContractError, match=r"Source 's'.*UTF8"):
        text_table(b"1,\xff\xfe\n", ["a", "b"], "Source 's'")


def test_what_the_server_has_checked_is_not_checked_again_but_lists_are_read() -> None:
    texts = text_table(b'"{""a"":1}"\n{1}\n', ["v"], "s")["v"].chunk(0)

    assert from_server_text(texts, column_from("x", "v", "jsonb")) is texts
    with pytest.raises(FAULTS):
        from_server_text(texts, column_from("x", "v", "int64[]"))
    assert set(copy_rows.TRUSTED).isdisjoint({"interval", "decimal", "date", "time"})
