"""JSON rows: the declared type decides, nothing is rounded, and a bad value is named (R37)."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reporting.core.fetch.json_rows import fit_json
from reporting.core.fit import Refused
from reporting.definition.columns import columns_from
from reporting.exact_json import json_text

pytestmark = pytest.mark.unit


def fitted(kind: str, text: str) -> tuple[pa.Table, list[Refused]]:
    """Return a one-column row as it is staged, or why it is not."""
    row = json.loads(f'{{"v": {text}}}', parse_float=Decimal)
    return fit_json([row], columns_from("x", {"v": kind}), 0)


def read(kind: str, text: str) -> Any:
    table, refused = fitted(kind, text)
    assert refused == []
    return table["v"][0].as_py()


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
        ("text", '"\\ud83d\\ude00"', "\U0001f600"),
        ("bool", "false", False),
        ("date", '"2024-02-29"', date(2024, 2, 29)),
        ("time", '"23:59:59.5"', time(23, 59, 59, 500000)),
        ("timestamp", '"2024-05-01T01:02:03.000004"', datetime(2024, 5, 1, 1, 2, 3, 4)),  # noqa: DTZ001
        # F76: the two hours 2 of a clock change, and digits below the microsecond
        ("timestamptz", '"2024-10-27T02:30:00+02:00"', datetime(2024, 10, 27, 0, 30, tzinfo=UTC)),
        ("timestamptz", '"2024-10-27T02:30:00+01:00"', datetime(2024, 10, 27, 1, 30, tzinfo=UTC)),
        ("timestamptz", '"2024-05-01T00:00:00.123456789Z"',
         datetime(2024, 5, 1, 0, 0, 0, 123456, tzinfo=UTC)),
        ("interval", '"P1DT2H"', "P1DT2H"),
        ("bytes", '"AP8="', b"\0\xff"),
        ("bytes", '""', b""),
        ("uuid", '"A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11"', "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"),
        ("json", '{"b": 1e400, "a": [1.10, null, "é\\n"]}', '{"b":1E+400,"a":[1.10,null,"é\\n"]}'),
        ("json", '"text"', '"text"'),
        ("jsonb", "1" * 4000, "1" * 4000),
        ("int64[]", "[1, null]", [1, None]),
        ("text[]", '["a", "NULL", null, "", "{\\"\\\\"]', ["a", "NULL", None, "", '{"\\']),
        ("decimal(5,2)[]", '[1.5, "2", null]', [Decimal("1.50"), Decimal("2.00"), None]),
        ("json[]", "[{}, [1], null]", ["{}", "[1]", None]),
        ("int64[]", "[]", []),
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
        ("decimal(5,2)", "1e-1000000000"), ("decimal(5,2)", '"1e99999999999999999999"'),
        ("text", "1"), ("text", "{}"), ("text", '"\\ud800"'), ("text", '"a\\u0000b"'),
        ("bool", "1"), ("bool", '"true"'), ("bool", '"t"'),
        ("date", '"2024-02-30"'), ("date", '"2024-02-01T00:00:00"'), ("date", "20240201"),
        ("time", '"24:00:00"'), ("time", "0"), ("interval", '"1 day"'), ("interval", "1"),
        ("timestamp", '"2024-05-01T00:00:00Z"'), ("timestamptz", '"2024-05-01T00:00:00"'),
        ("timestamptz", '"0001-01-01T00:00:00+14:00"'), ("timestamptz", "0"),
        ("bytes", '"\\\\x00"'), ("bytes", '"AP8"'), ("bytes", '"é"'), ("bytes", "[0]"),
        ("uuid", '"x"'), ("json", "NaN"), ("json", '"\\ud800"'), ("jsonb", '"\\u0000"'),
        ("int64[]", "1"), ("int64[]", "[[1]]"), ("int64[]", '["1"]'), ("int64[]", '"{1}"'),
        ("text[]", '["\\u0000"]'), ("text[]", '{"a": 1}'), ("json", "[" * 900 + "]" * 900),
    ],
)  # fmt: skip
def test_f33_f35_a_value_that_does_not_fit_is_refused_with_row_and_column(
    kind: str, text: str
) -> None:
    table, (refused,) = fitted(kind, text)

    assert (table.num_rows, refused.row, refused.column) == (0, 1, "v")
    assert refused.reason.endswith(f"allowed: {kind}.")
    assert list(refused.values) == ["v"]
    told = str(refused.error("Source 's'"))
    assert told.startswith("Source 's', row 1, column 'v': ")
    told.encode()  # what has no UTF-8 form would be lost on the way to whoever reads it


def test_a_value_of_another_json_type_is_named_as_json() -> None:
    _, (refused,) = fitted("int64", '{"a": "é\\n"}')

    assert refused.reason == r"""{"a":"é\n"}; allowed: int64."""


def test_f33_the_bad_rows_are_counted_over_all_pages_and_the_good_ones_stay() -> None:
    rows: list[dict[str, Any]] = [
        {"v": 1, "w": "a"}, {"v": "n/a"}, {"v": 3}, {"v": 2**63, "extra": [1, None]}, {"v": None},
    ]  # fmt: skip

    table, refused = fit_json(rows, columns_from("x", {"v": "int64 not null", "w": "text"}), 100)

    assert table.to_pylist() == [{"v": 1, "w": "a"}, {"v": 3, "w": None}]
    assert [(row.row, row.column) for row in refused] == [(102, "v"), (104, "v"), (105, "v")]
    assert [dict(row.values) for row in refused] == [
        {"v": "n/a"}, {"v": "9223372036854775808", "extra": "[1,null]"}, {"v": None},
    ]  # fmt: skip
    assert refused[2].reason == "NULL; allowed: int64 not null."


def test_f28_an_integer_column_with_a_null_keeps_its_last_digits() -> None:
    rows: list[dict[str, Any]] = [
        {"id": 9007199254740993}, {"id": 9007199254740992}, {"id": None}, {"other": 1},
    ]  # fmt: skip

    table, refused = fit_json(rows, columns_from("x", {"id": "int64"}), 0)

    assert (table["id"].to_pylist(), refused) == ([9007199254740993, 9007199254740992] + [None] * 2,
                                                  [])  # fmt: skip
    assert table.schema.names == ["id"]


@given(
    st.decimals(
        allow_nan=False, allow_infinity=False, places=6, min_value=-(10**13), max_value=10**13
    )
)
def test_f30_any_decimal_of_the_declared_digits_is_exact(number: Decimal) -> None:
    assert read("decimal(20,6)", f"{number:f}") == number


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")))
def test_any_text_is_the_same(text: str) -> None:
    assert read("text", json.dumps(text)) == text
    assert read("text[]", json.dumps([text, text])) == [text, text]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(exclude_categories=["Cs"]))
    | st.decimals(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)  # fmt: skip


@settings(max_examples=40)
@given(JSON)
def test_json_is_written_as_what_it_was(value: Any) -> None:
    assert json.loads(json_text(value), parse_float=Decimal) == value


def test_no_rows_still_have_the_declared_columns() -> None:
    columns = columns_from("x", {"a": "int64", "b": "decimal(5,2) not null"})

    table, refused = fit_json([], columns, 0)

    assert (table.schema.names, refused) == (["a", "b"], [])
