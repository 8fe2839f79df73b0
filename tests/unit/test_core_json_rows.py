"""JSON rows: the declared type decides, nothing is rounded, and a bad value is named (R37)."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reporting.core.fetch.json_rows import json_batch
from reporting.definition.columns import columns_from
from reporting.errors import ContractError

pytestmark = pytest.mark.unit


def read(kind: str, text: str) -> Any:
    """Return the value of a one-column row as it is staged."""
    row = json.loads(f'{{"v": {text}}}', parse_float=Decimal)
    return json_batch([row], columns_from("x", {"v": kind}), "Source 's'", 0)["v"][0].as_py()


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("int64", "9007199254740993", 9007199254740993),
        ("int64", "-9223372036854775808", -(2**63)),
        ("int64", "null", None),
        ("int32", "2147483647", 2**31 - 1),
        ("decimal(20,6)", "12345678901234.567891", Decimal("12345678901234.567891")),
        ("decimal(20,6)", '"-0.005"', Decimal("-0.005000")),
        ("decimal(20,6)", "3", Decimal("3.000000")),
        ("decimal(38,0)", "1e5", Decimal(100000)),
        ("float64", "0.1", 0.1),
        ("float64", "3", 3.0),
        ("text", '""', ""),
        ("text", '"NA"', "NA"),
        ("text", '"\\u0000\\ud83d\\ude00"', "\0\U0001f600"),
        ("bool", "false", False),
        ("date", '"2024-02-29"', date(2024, 2, 29)),
        ("timestamp", '"2024-05-01T01:02:03.000004"', datetime(2024, 5, 1, 1, 2, 3, 4)),  # noqa: DTZ001
        # F76: the two hours 2 of a clock change, and digits below the microsecond
        ("timestamptz", '"2024-10-27T02:30:00+02:00"', datetime(2024, 10, 27, 0, 30, tzinfo=UTC)),
        ("timestamptz", '"2024-10-27T02:30:00+01:00"', datetime(2024, 10, 27, 1, 30, tzinfo=UTC)),
        ("timestamptz", '"2024-05-01T00:00:00.123456789Z"',
         datetime(2024, 5, 1, 0, 0, 0, 123456, tzinfo=UTC)),
    ],
)  # fmt: skip
def test_a_value_is_staged_as_it_was_sent(kind: str, text: str, value: Any) -> None:
    got = read(kind, text)

    assert got == value
    assert type(got) is type(value)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("int64", '"42"'), ("int64", "42.0"), ("int64", "true"), ("int64", "9223372036854775808"),
        ("int64", "[1]"), ("int32", "2147483648"), ("float64", '"1"'), ("float64", "true"),
        ("float64", "1e400"), ("float64", "NaN"), ("float64", "1" + "0" * 400),
        ("decimal(5,2)", '"n/a"'), ("decimal(5,2)", '"NaN"'), ("decimal(5,2)", '"1_0"'),
        ("decimal(5,2)", '" 1"'), ("decimal(5,2)", '""'), ("decimal(5,2)", "1.234"),
        ("decimal(5,2)", "1234.5"), ("decimal(5,2)", "1e50"), ("decimal(5,2)", "true"),
        ("text", "1"), ("text", "{}"), ("text", '"\\ud800"'), ("bool", "1"), ("bool", '"true"'),
        ("date", '"2024-02-30"'), ("date", '"2024-02-01T00:00:00"'), ("date", "20240201"),
        ("timestamp", '"2024-05-01T00:00:00Z"'), ("timestamptz", '"2024-05-01T00:00:00"'),
        ("timestamptz", '"0001-01-01T00:00:00+14:00"'), ("timestamptz", "0"),
    ],
)  # fmt: skip
def test_f33_a_value_of_another_type_is_refused_with_source_and_column(
    kind: str, text: str
) -> None:
    with pytest.raises(ContractError) as refusal:
        read(kind, text)

    for word in ("Source 's'", "row", "column 'v'", f"allowed: {kind}"):
        assert word in str(refusal.value)


def test_f33_the_bad_row_is_counted_over_all_pages() -> None:
    rows: list[dict[str, Any]] = [{"v": 1}, {"v": "n/a"}, {"v": 3}]

    with pytest.raises(ContractError, match=r"Source 's', row 102, column 'v': 'n/a'"):
        json_batch(rows, columns_from("x", {"v": "int64"}), "Source 's'", 100)


def test_f28_an_integer_column_with_a_null_keeps_its_last_digits() -> None:
    rows: list[dict[str, Any]] = [
        {"id": 9007199254740993},
        {"id": 9007199254740992},
        {"id": None},
        {"other": 1},
    ]

    batch = json_batch(rows, columns_from("x", {"id": "int64"}), "Source 's'", 0)

    assert batch["id"].to_pylist() == [9007199254740993, 9007199254740992, None, None]
    assert batch.schema.names == ["id"]


@given(
    st.decimals(
        allow_nan=False, allow_infinity=False, places=6, min_value=-(10**13), max_value=10**13
    )
)
def test_f30_any_decimal_of_the_declared_digits_is_exact(number: Decimal) -> None:
    assert read("decimal(20,6)", f"{number:f}") == number


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_is_the_same(text: str) -> None:
    assert read("text", json.dumps(text)) == text


def test_no_rows_still_have_the_declared_columns() -> None:
    columns = columns_from("x", {"a": "int64", "b": "decimal(5,2) not null"})

    assert json_batch([], columns, "s", 0).schema.names == ["a", "b"]
