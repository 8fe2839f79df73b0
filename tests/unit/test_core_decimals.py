"""Decimals are the number that was given or are refused, however many digits they have (F30)."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from reporting.core.decimals import decimals_from, fitted_within
from reporting.core.fit import FAULTS
from reporting.core.result import result_tables
from reporting.core.typed_columns import from_typed
from reporting.definition.columns import Column, column_from
from reporting.errors import ContractError
from tests.specimens import a_report, a_table

pytestmark = pytest.mark.unit

DIGITS = st.integers(1, 38).flatmap(lambda p: st.tuples(st.just(p), st.integers(0, p)))
MANY_DIGITS = st.text("0123456789", min_size=1, max_size=90)
NUMBERS = st.builds(
    lambda sign, whole, rest: f"{sign}{whole}.{rest}" if rest else f"{sign}{whole}",
    st.sampled_from(["", "-"]), MANY_DIGITS, st.just("") | MANY_DIGITS,
)  # fmt: skip


def a_column(precision: int, scale: int) -> Column:
    return column_from("x", "v", f"decimal({precision},{scale})")


def exactly(text: str, column: Column) -> Decimal | None:
    """Return the number when the column has its digits; reckoned with whole numbers only."""
    sign, digits, exponent = Decimal(text).as_tuple()
    assert isinstance(exponent, int)
    number = int("".join(map(str, digits)))
    shift = exponent + column.scale
    if shift < 0 and number % 10**-shift:
        return None
    scaled = number * 10**shift if shift >= 0 else number // 10**-shift
    if scaled >= 10**column.precision:
        return None
    return Decimal((sign, tuple(map(int, str(scaled))), -column.scale))


def tried(convert: Callable[[], pa.Array]) -> Decimal | None:
    try:
        made = convert()
    except FAULTS:
        return None
    value: Decimal | None = made[0].as_py()
    return value


# What Arrow alone makes other numbers of: 39 digits, zeros behind the 38th, digits scaled up.
@example("9" * 39, (38, 0))
@example("0.1" + "0" * 40, (38, 2))
@example("190011991011099099001900", (38, 24))
@example("-9910001910011000001.09190010", (38, 21))
@example("12345678901234567890." + "0" * 20, (38, 10))
@given(NUMBERS, DIGITS)
def test_f30_a_text_is_exactly_its_number_or_refused(text: str, digits: tuple[int, int]) -> None:
    column = a_column(*digits)

    assert tried(lambda: decimals_from(pa.array([text]), column)) == exactly(text, column)


@example("190011991011099099001900", (38, 24))
@example("9111000000000010009000001111000999919", (38, 31))
@given(NUMBERS.filter(lambda text: len(text) <= 70), DIGITS)
def test_f30_a_computed_decimal_is_exactly_its_number_or_refused(
    text: str, digits: tuple[int, int]
) -> None:
    column, number = a_column(*digits), Decimal(text)
    of_76_digits = pa.array([number])  # Arrow chooses as many digits as it has

    assert tried(lambda: from_typed(of_76_digits, column)) == exactly(text, column)
    objects = pd.Series([number], dtype=object)
    assert tried(lambda: published(column, objects)) == exactly(text, column)


def published(column: Column, values: Any) -> pa.Array:
    """Return a column of a frame as it would be published."""
    report = a_report(tables=[a_table(columns={"id": "int64", "v": column.type})])
    frame = pd.DataFrame({"id": range(len(values)), "v": values})
    try:
        return result_tables({"totals": frame}, report)["totals"]["v"]
    except ContractError as error:
        raise ValueError from error


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e2", "100.00"), ("1E+2", "100.00"), ("1.5e-1", "0.15"), ("-0.5", "-0.50"), (".5", "0.5"),
        ("5.", "5"), ("0e1000000000", "0"), ("0e-1000000000", "0"), ("-0", "0"),
    ],
)  # fmt: skip
def test_an_exponent_is_read(text: str, value: str) -> None:
    assert decimals_from(pa.array([text]), a_column(5, 2)).to_pylist() == [Decimal(value)]


@pytest.mark.parametrize(
    "text",
    ["1e-1000000000", "1e1000000000", "1e99999999999999999999", "1e-99999999999999999999", "1e3",
     "1e-3", "", "e", "1e", "NaN", "Infinity", " 1", "1_0", "0x1", "٣", "1,5", "1" * 5000],
)  # fmt: skip
def test_f33_what_is_no_such_number_is_refused_and_ends_no_process(text: str) -> None:
    """Arrow alone dies of the first."""
    with pytest.raises(FAULTS):
        decimals_from(pa.array([text]), a_column(5, 2))


def test_f30_ten_tenths_are_one() -> None:
    tenths = decimals_from(pa.array(["0.1"] * 10), a_column(10, 2)).to_pylist()

    assert sum(tenths) == Decimal("1.00")


def test_decimals_in_lists_are_exact_too() -> None:
    long = Decimal("0.1" + "0" * 40)
    column = column_from("x", "v", "decimal(5,2)[]")

    assert fitted_within([long, None, 3], column) == [Decimal("0.10"), None, 3]
    got = published(column, pd.Series([[long, None], None, []], dtype=object))
    assert got.to_pylist() == [[Decimal("0.10"), None], None, []]


@pytest.mark.parametrize("value", ["1.5", 1.5, True, b"1"])
def test_f33_what_is_no_decimal_becomes_none(value: Any) -> None:
    with pytest.raises(FAULTS):
        published(a_column(5, 2), pd.Series([value], dtype=object))
