"""What a compute function returns is published exactly, or refused with table and column."""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from reporting.core.result import result_tables
from reporting.errors import ContractError
from tests.specimens import a_report, a_table

pytestmark = pytest.mark.unit

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)
BARE = datetime(2024, 5, 1, 12)  # noqa: DTZ001 - a wall-clock time is what it is about
MIDNIGHT = datetime(2024, 5, 1)  # noqa: DTZ001


def published(kind: str, values: Any) -> list[Any]:
    """Return a column of the declared kind as it would be published."""
    report = a_report(tables=[a_table(columns={"id": "int64", "v": kind})])
    frame = pd.DataFrame({"id": range(len(values)), "v": values})
    values_out: list[Any] = result_tables({"totals": frame}, report)["totals"]["v"].to_pylist()
    return values_out


@pytest.mark.parametrize(
    ("kind", "values", "same"),
    [
        ("int64", pd.Series([2**60 + 1, None], dtype=object), [2**60 + 1, None]),
        ("int64", pd.Series([2**60 + 1, None], dtype="Int64"), [2**60 + 1, None]),
        ("int64", pd.array([1, None], dtype="int64[pyarrow]"), [1, None]),
        ("int64", [1.0, np.nan], [1, None]),
        ("int32", [1, 2], [1, 2]),
        ("float64", [0.1, np.inf, np.nan], [0.1, np.inf, None]),
        ("float64", [1, 2], [1.0, 2.0]),
        ("decimal(20,6)", [Decimal("12345678901234.567891"), None],
         [Decimal("12345678901234.567891"), None]),
        ("decimal(20,6)", [Decimal("0.1"), 3], [Decimal("0.100000"), Decimal("3.000000")]),
        ("decimal(10,2)", [1, 99999999], [Decimal(1), Decimal(99999999)]),
        ("text", ["", None, "NA", "nan", "é"], ["", None, "NA", "nan", "é"]),
        ("text", pd.Categorical(["a", "b", None]), ["a", "b", None]),
        ("bool", [True, None], [True, None]),
        ("date", [date(2024, 5, 1), None], [date(2024, 5, 1), None]),
        ("date", pd.to_datetime(["2024-05-01", "NaT"]), [date(2024, 5, 1), None]),
        ("timestamp", [BARE], [BARE]),
        ("timestamptz", pd.to_datetime([NOON]), [NOON]),
        ("timestamptz", pd.to_datetime([NOON]).tz_convert("Asia/Shanghai"), [NOON]),
        ("timestamptz", pd.Series([None, None], dtype=object), [None, None]),
        ("int16", [-32768, 32767], [-32768, 32767]),
        ("float32", np.array([0.1], dtype="float32"), [0.10000000149011612]),
        ("time", [time(23, 59, 59, 999999), None], [time(23, 59, 59, 999999), None]),
        ("interval", pd.to_timedelta(["36h", None]), ["PT36H", None]),
        ("bytes", [b"\0\xff", b"", None], [b"\0\xff", b"", None]),
        ("uuid", ["A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11"],
         ["a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"]),
        ("json", ['{"b": 1, "a": 1e400}', None], ['{"b": 1, "a": 1e400}', None]),
        ("int64[]", [[2**60 + 1, None], None, []], [[2**60 + 1, None], None, []]),
        ("text[]", [np.array(["a", None], dtype=object)], [["a", None]]),
        ("decimal(5,2)[]", [[Decimal("0.1"), 3, None]], [[Decimal("0.10"), Decimal("3.00"), None]]),
        ("int64[]", [], []),
        ("int64", [], []),
        ("timestamptz", [], []),
    ],
)  # fmt: skip
def test_a_column_keeps_its_values(kind: str, values: Any, same: list[Any]) -> None:
    assert published(kind, values) == same


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        # each of these Arrow would convert without a word
        ("int64", pd.Series([1.5], dtype=object)),
        ("int64", ["42"]),
        ("int64", [True]),
        ("decimal(5,2)", [0.126]),
        ("decimal(5,2)", pd.Series([0.1], dtype=object)),
        ("float64", [Decimal("12345678901234.567891")]),
        ("timestamptz", [BARE]),
        ("timestamptz", pd.to_datetime([BARE])),
        ("timestamp", pd.to_datetime([NOON])),
        ("date", [BARE]),
        ("date", pd.to_datetime([NOON])),
        ("bool", [2]),
        ("text", [1]),
        ("text", [b"a"]),
        # these it refuses itself
        ("int64", [1.5]),
        ("int64", pd.Series([2**70], dtype=object)),
        ("int64", pd.Series([1, "n/a", 2.5], dtype=object)),
        ("int32", [2**31]),
        ("float64", [2**53 + 1]),
        ("decimal(5,2)", [Decimal("1.234")]),
        ("decimal(5,2)", [1000]),
        ("text", pd.Series(["\ud800"], dtype=object)),
        ("float32", [0.1]),
        ("interval", pd.to_timedelta([1], unit="ns")),
        ("uuid", ["x"]),
        ("json", [{"a": 1}]),
        ("int64[]", [[1.5]]),
        ("int64[]", [1]),
        ("int64[]", [[[1]]]),
        ("decimal(5,2)[]", [[Decimal("1.234")]]),
        ("decimal(5,2)", pd.Series(["1.5"], dtype=object)),
        ("timestamp", pd.to_datetime(["2024-05-01T00:00:00.000000001"])),
    ],
)
def test_f30_f33_nothing_is_rounded_cut_or_guessed(kind: str, values: Any) -> None:
    with pytest.raises(ContractError, match=r"Table 'totals',( row \d+,)? column 'v': "):
        published(kind, values)


def test_f35_text_with_nul_is_refused_before_it_meets_the_database() -> None:
    with pytest.raises(ContractError, match=r"'totals', row 2, column 'v': .*with a NUL char"):
        published("text", ["good", "ab\0cd", "good"])


def frames(**columns: Any) -> dict[str, pd.DataFrame]:
    return {"totals": pd.DataFrame(columns)}


@pytest.mark.parametrize(
    ("result", "words"),
    [
        (None, ["NoneType", "a frame per table name"]),
        ({"totals": [1]}, ["'totals'", "list", "DataFrame"]),
        ({}, ["did not return totals"]),
        (frames(id=[1], name=["a"]) | {"total": None}, ["'total'", "Did you mean 'totals'"]),
        (frames(id=[1]), ["missing: name"]),
        (frames(id=[1], name=["a"], more=[1]), ["not declared: more"]),
        ({"totals": pd.DataFrame([[1, "a", "b"]], columns=["id", "name", "name"])},
         ["repeated: name"]),
        ({"totals": pd.DataFrame([[1, "a"]])}, ["missing: id, name", "not declared: 0, 1"]),
        (frames(id=[1, None], name=["a", "b"]), ["key column 'id' holds NULL"]),
        (frames(id=[1, 1, 2], name=["a", "b", "c"]), ["1 rows repeat the key (id)"]),
    ],
)  # fmt: skip
def test_a_result_of_another_shape_is_refused(result: Any, words: list[str]) -> None:
    with pytest.raises(ContractError) as refusal:
        result_tables(result, a_report())

    for word in words:
        assert word in str(refusal.value)


def test_columns_may_come_in_any_order_and_with_any_index() -> None:
    frame = pd.DataFrame({"name": ["b", "a"], "id": [2, 1]}, index=[7, 7])

    table = result_tables({"totals": frame}, a_report())["totals"]

    assert table.schema.names == ["id", "name"]
    assert table.to_pydict() == {"id": [2, 1], "name": ["b", "a"]}


def test_a_key_of_all_types_is_checked() -> None:
    columns = {"a": "decimal(5,2)", "b": "date", "c": "timestamptz", "d": "text", "e": "bool"}
    report = a_report(tables=[a_table(key=list(columns), columns=columns)])
    row = {"a": Decimal(1), "b": date(2024, 5, 1), "c": NOON, "d": "", "e": True}

    assert result_tables({"totals": pd.DataFrame([row])}, report)["totals"].num_rows == 1
    with pytest.raises(ContractError, match="repeat the key"):
        result_tables({"totals": pd.DataFrame([row, row])}, report)


def test_an_arrow_backed_nan_stays_nan() -> None:
    """F31: only what is missing becomes NULL."""
    values = pd.array(pa.array([float("nan"), None]), dtype="float64[pyarrow]")

    nan, missing = published("float64", values)

    assert missing is None
    assert np.isnan(nan)
