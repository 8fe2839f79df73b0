r"""Text as the declared type: each edge value exactly, and each look-alike refused (F30, F33)."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reporting.core.arrow import arrow_type
from reporting.core.fit import FAULTS
from reporting.core.text_columns import from_text
from reporting.definition.columns import column_from

pytestmark = pytest.mark.unit

LARGEST = 1.7976931348623157e308
LARGEST_32 = 3.4028234663852886e38


def convert(kind: str, text: str) -> pa.Array:
    """Return what a text becomes between two NULLs."""
    return from_text(pa.array([None, text, None], pa.string()), column_from("x", "v", kind))


def read(kind: str, text: str) -> Any:
    made = convert(kind, text)
    assert made.type == arrow_type(column_from("x", "v", kind))
    before, value, after = made.to_pylist()
    assert before is after is None
    return value


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("int64", "9223372036854775807", 2**63 - 1),
        ("int64", "-9223372036854775808", -(2**63)),
        ("int64", "9007199254740993", 2**53 + 1),
        ("int32", "-2147483648", -(2**31)),
        ("int16", "32767", 2**15 - 1),
        ("float64", "1.7976931348623157e+308", LARGEST),
        ("float64", "5e-324", 5e-324),
        ("float64", "Infinity", math.inf),
        ("float64", "-inf", -math.inf),
        ("float32", "3.4028235e+38", LARGEST_32),
        ("float32", "1e-45", 1.401298464324817e-45),
        ("text", "\\N", "\\N"),
        ("bool", "t", True),
        ("bool", "false", False),
        ("date", "0001-01-01", date(1, 1, 1)),
        ("date", "9999-12-31", date(9999, 12, 31)),
        ("time", "23:59:59.999999", time(23, 59, 59, 999999)),
        ("timestamp", "0001-01-01 00:00:00", datetime(1, 1, 1)),  # noqa: DTZ001
        ("timestamp", "9999-12-31T23:59:59.999999", datetime.max),  # noqa: DTZ901
        ("timestamptz", "2024-05-01 12:00:00+05:30", datetime(2024, 5, 1, 6, 30, tzinfo=UTC)),
        ("timestamptz", "2024-05-01 12:00:00-0930", datetime(2024, 5, 1, 21, 30, tzinfo=UTC)),
        ("interval", "P-1Y-2M3DT-4H-5M-6.5S", "P-1Y-2M3DT-4H-5M-6.5S"),
        ("interval", "P178956970Y7M", "P178956970Y7M"),
        ("interval", "PT0S", "PT0S"),
        ("bytes", r"\x", b""),
        ("bytes", r"\x00fF", b"\0\xff"),
        ("uuid", "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"),
        ("json", '{"a": 1e400, "a": "\\u0000"}', '{"a": 1e400, "a": "\\u0000"}'),
        ("jsonb", r'"\\u0000 \ud83d\ude00"', r'"\\u0000 \ud83d\ude00"'),
        ("int64[]", '{1,NULL,"3"}', [1, None, 3]),
        ("bytes[]", r'{"\\x00",NULL}', [b"\0", None]),
        ("decimal(5,2)[]", "{}", []),
    ],
)
def test_f30_a_text_is_its_value(kind: str, text: str, value: Any) -> None:
    got = read(kind, text)

    assert got == value
    assert type(got) is type(value)


def test_f31_nan_and_minus_zero_are_kept() -> None:
    assert math.isnan(read("float64", "NaN"))
    assert math.copysign(1, read("float64", "-0")) == -1


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12:00:00.1234567", time(12, 0, 0, 123456)),
        ("12:00:00.9999999999999999", time(12, 0, 0, 999999)),
        ("00:00:00.0000009", time(0)),
    ],
)
def test_f76_digits_after_the_sixth_are_cut_never_rounded(text: str, value: time) -> None:
    day = date(2024, 5, 1)
    wall = datetime.combine(day, value)

    assert read("time", text) == value
    assert read("timestamp", f"2024-05-01 {text}") == wall
    assert read("timestamptz", f"2024-05-01 {text}+00") == wall.replace(tzinfo=UTC)


def test_f76_one_finer_time_changes_none_of_the_others() -> None:
    texts = pa.array(["01:02:03.000004", "01:02:03.0000049", None, "23:00:00"])

    made = from_text(texts, column_from("x", "v", "time")).to_pylist()

    assert made == [time(1, 2, 3, 4), time(1, 2, 3, 4), None, time(23)]


@pytest.mark.parametrize(
    ("kind", "texts"),
    [
        ("int64", ["", " 1", "1 ", "+1", "1.0", "1e3", "0x1F", "0X1f", "1_0", "٣", "-", "NaN",
                   "9223372036854775808"]),
        ("int16", ["32768", "-32769"]),
        ("float64", ["", " 1", "1,5", "0x1p3", "1e", ".", "1e400", "-1e400", "infinit", "NULL"]),
        ("float32", ["3.4028236e38", "-1e39"]),
        ("bool", ["", "T", "TRUE", "yes", "1", "0", " t"]),
        ("date", ["", "2024-02-30", "24-01-01", "20240101", "0000-12-31", "10000-01-01",
                  "0044-03-15 BC", "infinity", "2024-01-01T00:00:00", "2024-01-01 "]),
        ("time", ["", "24:00:00", "23:59:60", "12:00:00+02", "12:00:00Z", " 12:00:00", "1:00:00"]),
        ("timestamp", ["", "infinity", "-infinity", "0000-12-31 23:59:59", "2024-05-01 24:00:00",
                       "2024-05-01 12:00:00Z", "2024-05-01 12:00:00+00",
                       "2024-05-01 12:00:00.1234567x"]),
        ("timestamptz", ["2024-05-01 12:00:00", "2024-05-01", "2024-05-01 12:00:00 UTC",
                         "2024-05-01T12:00:00+24:00", "0001-01-01 00:00:00+01", "infinity",
                         "9999-12-31 23:59:59.999999-01"]),
        ("interval", ["", "P", "PT", "P1DT", "P1W", "P1.5D", "p1d", "1 day", "PT1.1234567S",
                      "P1D\n", "infinity", "P178956970Y8M", "P2147483648D",
                      "PT9223372036854.775808S"]),
        ("bytes", ["", "abc", r"\x0", r"\x0g", r"\x00 "]),
        ("uuid", ["", "a0eebc999c0b4ef8bb6d6bb9bd380a11", "{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11}",
                  "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11\n"]),
        ("json", ["", "[1,]", "NaN", "-Infinity", "'a'", "01", '"\t"', "\ufeff1", "[" * 100_000]),
        ("jsonb", [r'"\u0000"', r'{"\\\u0000": 1}', r'"\ud800"', r'{"a": "\uDE00", "a": 1}']),
        ("int64[]", ["", "1", "{1,}", "{,}", "{ 1}", "{{1}}", "[0:1]={1,2}", "{1}{2}", "{1.5}"]),
    ],
)  # fmt: skip
def test_f33_a_look_alike_is_refused(kind: str, texts: list[str]) -> None:
    for text in texts:
        with pytest.raises(FAULTS):
            convert(kind, text)


@pytest.mark.parametrize("kind", ["text", "text[]", "json", "interval", "uuid"])
def test_f35_nul_fits_nowhere(kind: str) -> None:
    with pytest.raises(FAULTS):
        convert(kind, "{a\0b}")


@settings(max_examples=60)
@given(st.lists(st.none() | st.binary(max_size=40)))
def test_any_bytes_come_back_whatever_stands_beside_them(values: list[bytes | None]) -> None:
    texts = pa.array([None if v is None else rf"\x{v.hex()}" for v in values], pa.string())

    made = from_text(texts, column_from("x", "v", "bytes"))

    made.validate(full=True)
    assert made.to_pylist() == values
    assert from_text(texts[1:], column_from("x", "v", "bytes")).to_pylist() == values[1:]


@given(st.floats(allow_nan=False, width=64))
def test_f30_any_float_comes_back_to_the_last_bit(value: float) -> None:
    got = read("float64", repr(value))

    assert (got, math.copysign(1, got)) == (value, math.copysign(1, value))


@given(st.decimals(allow_nan=False, allow_infinity=False, places=10, min_value=-(10**27),
                   max_value=10**27))  # fmt: skip
def test_f30_any_decimal_comes_back(value: Decimal) -> None:
    assert read("decimal(38,10)", f"{value:f}") == value
