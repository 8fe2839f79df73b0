"""Computed columns become their declared type exactly, or not at all (F30, F33)."""

from __future__ import annotations

import math
import re
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reporting.core.arrow import arrow_type
from reporting.core.fit import FAULTS
from reporting.core.typed_columns import from_typed
from reporting.definition.columns import PLAIN_TYPES, column_from

pytestmark = pytest.mark.unit

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)
UUID = "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"


def convert(kind: str, values: Any, given: pa.DataType | None = None) -> pa.Array:
    return from_typed(pa.array(values, given), column_from("x", "v", kind))


def become(kind: str, values: Any, given: pa.DataType | None = None) -> list[Any]:
    made = convert(kind, values, given)
    made.validate(full=True)
    assert made.type == arrow_type(column_from("x", "v", kind))
    listed: list[Any] = made.to_pylist()
    return listed


@pytest.mark.parametrize(
    ("kind", "values", "given", "same"),
    [
        ("int64", [2**63 - 1, None], pa.uint64(), [2**63 - 1, None]),
        ("int16", [1.0, -0.0], pa.float64(), [1, 0]),
        ("int64", [Decimal("9007199254740993.0")], None, [9007199254740993]),
        ("int32", [Decimal(-(2**31))], pa.decimal256(60, 0), [-(2**31)]),
        ("float64", [2**53, None], pa.int64(), [2.0**53, None]),
        ("float64", [3.4028234663852886e38], pa.float32(), [3.4028234663852886e38]),
        ("float32", [0.5, math.inf, None], pa.float64(), [0.5, math.inf, None]),
        ("float32", [2**24], pa.int64(), [2.0**24]),
        ("decimal(38,20)", [123456789012345678], pa.int64(), [Decimal(123456789012345678)]),
        ("decimal(5,2)", [Decimal("1.500")], pa.decimal256(70, 3), [Decimal("1.50")]),
        ("text", ["a", None], pa.dictionary(pa.int8(), pa.string()), ["a", None]),
        ("text", ["a"], pa.string_view(), ["a"]),
        ("date", [NOON.replace(hour=0, tzinfo=None)], pa.timestamp("ns"), [NOON.date()]),
        ("date", [date(9999, 12, 31)], pa.date64(), [date(9999, 12, 31)]),
        ("time", [time(23, 59, 59)], pa.time32("s"), [time(23, 59, 59)]),
        ("time", [1_000], pa.time64("ns"), [time(0, 0, 0, 1)]),
        ("timestamp", [NOON.replace(tzinfo=None)], pa.timestamp("s"), [NOON.replace(tzinfo=None)]),
        ("timestamptz", [NOON], pa.timestamp("ns", "Asia/Shanghai"), [NOON]),
        ("interval", [timedelta(0), timedelta(days=-1, hours=3, microseconds=1), None], None,
         ["PT0S", "PT-20H-59M-59.999999S", None]),
        ("interval", ["P1M2DT3.5S"], None, ["P1M2DT3.5S"]),
        ("bytes", [b"\0"], pa.binary(1), [b"\0"]),
        ("bytes", [b""], pa.binary_view(), [b""]),
        ("uuid", [UUID.upper()], pa.large_string(), [UUID]),
        ("jsonb", ['{"b": 1, "a": 1e400}'], None, ['{"b": 1, "a": 1e400}']),
        ("int16[]", [[1, None], None, []], pa.large_list(pa.int64()), [[1, None], None, []]),
        ("text[]", [[None], [""]], None, [[None], [""]]),
    ],
)  # fmt: skip
def test_f30_values_stay(kind: str, values: Any, given: Any, same: list[Any]) -> None:
    assert become(kind, values, given) == same


@pytest.mark.parametrize(
    ("kind", "values", "given"),
    [
        ("int64", [2**63], pa.uint64()), ("int16", [32768], None), ("int32", [0.5], None),
        ("int64", [2.0**63], None), ("int64", [Decimal("1.5")], None), ("int64", [math.nan], None),
        ("int64", [True], None), ("int64", ["1"], None), ("int64", [date(2024, 1, 1)], None),
        ("float64", [2**53 + 1], None), ("float64", [Decimal(1)], None), ("float64", [True], None),
        ("float32", [0.1], None), ("float32", [1e39], None), ("float32", [5e-324], None),
        ("float32", [2**24 + 1], None), ("decimal(5,2)", [1.5], None),
        ("decimal(5,2)", [1000], None),
        ("decimal(5,2)", [Decimal("0.001")], None), ("decimal(5,2)", ["1"], None),
        ("text", [1], None), ("text", [b"a"], None), ("text", ["\0"], None), ("bool", [1], None),
        ("date", [NOON.replace(tzinfo=None)], None), ("date", [NOON], None), ("date", ["x"], None),
        ("date", [-719163], pa.date32()), ("time", [1_001], pa.time64("ns")),
        ("time", [timedelta(hours=1)], None), ("time", [NOON], None),
        ("timestamp", [1], pa.timestamp("ns")), ("timestamp", [NOON], None),
        ("timestamp", [date(2024, 1, 1)], None), ("timestamptz", [NOON.replace(tzinfo=None)], None),
        ("timestamptz", [253402300800], pa.timestamp("s", "UTC")),
        ("interval", [1], pa.duration("ns")), ("interval", [1], None),
        ("interval", ["1 day"], None),
        ("bytes", ["a"], None), ("uuid", ["x"], None), ("uuid", [b"0" * 16], None),
        ("json", ["{"], None), ("json", [{"a": 1}], None), ("jsonb", [r'"\u0000"'], None),
        ("int64[]", [1], None), ("int64", [[1]], None), ("int64[]", [["1"]], None),
        ("int16[]", [[1], [None, 70000]], None), ("text[]", ["{a}"], None),
    ],
)  # fmt: skip
def test_f33_nothing_is_rounded_cut_or_guessed(kind: str, values: Any, given: Any) -> None:
    with pytest.raises(FAULTS):
        convert(kind, values, given)


def test_f31_nan_stays_nan_and_minus_zero_its_sign() -> None:
    nan, zero, none = become("float32", [math.nan, -0.0, None], pa.float64())

    assert math.isnan(nan)
    assert math.copysign(1, zero) == -1
    assert none is None


@pytest.mark.parametrize("kind", [*PLAIN_TYPES, "decimal(5,2)"])
@pytest.mark.parametrize("given", [pa.null(), pa.float64(), pa.string(), pa.list_(pa.int8())])
def test_a_column_without_values_becomes_any_type(kind: str, given: pa.DataType) -> None:
    """Pandas calls a column of nothing float64 or object."""
    assert become(kind, [None, None], given) == [None, None]
    assert become(f"{kind}[]", [None], given) == [None]
    assert become(kind, [], given) == []


@settings(max_examples=60)
@given(st.lists(st.none() | st.lists(st.none() | st.integers(-(2**15), 2**15 - 1))),
       st.integers(0, 3))  # fmt: skip
def test_lists_keep_their_borders_also_in_a_slice(
    values: list[list[int | None] | None], skipped: int
) -> None:
    given = pa.array(values, pa.list_(pa.int64()))[skipped:]

    made = from_typed(given, column_from("x", "v", "int16[]"))

    made.validate(full=True)
    assert made.to_pylist() == values[skipped:]


CLOCK = re.compile(r"PT(?:(-?\d+)H)?(?:(-?\d+)M)?(?:(-?[\d.]+)S)?")


@given(st.timedeltas(timedelta(days=-106751991), timedelta(days=106751990)))
def test_a_duration_is_the_interval_that_it_was(span: timedelta) -> None:
    (text,) = become("interval", [span], pa.duration("us"))

    found = CLOCK.fullmatch(text)
    assert found is not None
    hours, minutes, seconds = (Decimal(part or 0) for part in found.groups())
    micros = (hours * 3600 + minutes * 60 + seconds) * 1_000_000
    assert timedelta(microseconds=int(micros)) == span
