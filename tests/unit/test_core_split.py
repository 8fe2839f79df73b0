"""The parts of a split query have each row once, wherever its key lies."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from reporting.core.fetch.postgres_types import ServerColumn
from reporting.core.fetch.split import _ranges, copy_statement

pytestmark = pytest.mark.unit

INT64 = st.integers(-(2**63), 2**63 - 1)
OPERATORS: dict[str, Callable[[int, int], bool]] = {
    "<": operator.lt, ">=": operator.ge,
}  # fmt: skip


def holds(condition: str, key: int | None) -> bool:
    """Say whether a condition holds, as SQL says it: nothing is true of NULL but IS NULL."""
    if key is None:
        return "IS NULL" in condition
    tests = re.findall(r"k (<|>=) (-?\d+)", condition)
    assert tests
    return all(OPERATORS[sign](key, int(number)) for sign, number in tests)


@example([-(2**63), 2**63 - 1, 0, -1], 16)
@example([7, 7], 2)
@example([], 3)
@example([-1, 0], 16)
@given(st.lists(INT64), st.integers(2, 16))
def test_every_key_is_in_exactly_one_range(keys: list[int], number: int) -> None:
    conditions = _ranges("k", min(keys, default=0), max(keys, default=0), number)

    assert len(conditions) == number
    for key in (*keys, None, -(2**63), 2**63 - 1):
        assert sum(holds(condition, key) for condition in conditions) == 1


@settings(max_examples=15)
@given(st.integers(-(10**6), 10**6), st.integers(2, 16))
def test_evenly_spread_keys_are_spread_evenly(least: int, number: int) -> None:
    keys = range(least, least + 100 * number)
    conditions = _ranges("k", keys[0], keys[-1], number)

    sizes = [sum(holds(condition, key) for key in keys) for condition in conditions]
    assert max(sizes) - min(sizes) <= 2


def test_a_query_without_condition_and_money_is_copied_as_it_is() -> None:
    """Its order is kept for sure only then."""
    text, money = ServerColumn("a", "text", "text", -1, False), "money"

    assert copy_statement("SELECT {} -- x", [text]).split(b"\n")[1] == b"SELECT {} -- x"
    priced = copy_statement("SELECT 1", [text, ServerColumn("a", money, money, -1, True)])
    assert b"SELECT c0, c1::numeric[] FROM (\nSELECT 1\n) AS query (c0, c1)" in priced
