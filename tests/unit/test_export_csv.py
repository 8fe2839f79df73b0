"""CSV files: each fault of the field list that a CSV export can have."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from reporting.core.export.csv_file import write_csv
from reporting.core.export.formula_guard import guarded, unguarded
from reporting.errors import TerminalError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

pytestmark = pytest.mark.unit

NEW_YORK = "America/New_York"


def lines(tmp_path: Path, table: pa.Table, timezone: str = NEW_YORK) -> list[str]:
    path = tmp_path / "t.csv"
    assert write_csv(table, path, timezone=timezone) == table.num_rows
    text = path.read_bytes().decode("utf-8-sig")
    assert text.endswith("\r\n")
    return text.split("\r\n")[1:-1]


def column(tmp_path: Path, values: Sequence[object], kind: pa.DataType) -> list[str]:
    return lines(tmp_path, pa.table({"c": pa.array(values, kind)}))


def test_file_opens_in_excel(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    write_csv(pa.table({"城市": ["北京"], "n": [1]}), path, timezone="UTC")
    assert path.read_bytes() == b"\xef\xbb\xbf" + "城市,n\r\n北京,1\r\n".encode()


def test_f28_large_ids_beside_null_are_exact(tmp_path: Path) -> None:
    ids = [9007199254740993, 9007199254740992, None, -(2**63), 2**63 - 1]
    assert column(tmp_path, ids, pa.int64()) == [
        "9007199254740993", "9007199254740992", "", "-9223372036854775808", "9223372036854775807",
    ]  # fmt: skip


def test_f30_decimals_keep_their_declared_scale(tmp_path: Path) -> None:
    values = [Decimal("12345678901234.567891"), Decimal("-0.005"), Decimal(0), None]
    expected = ["12345678901234.567891", "-0.005000", "0.000000", ""]
    assert column(tmp_path, values, pa.decimal128(20, 6)) == expected
    assert column(tmp_path, [Decimal("1E-20")], pa.decimal128(38, 20)) == ["0." + "0" * 19 + "1"]


def test_f31_null_empty_and_texts_that_look_like_null_differ(tmp_path: Path) -> None:
    texts = ["", None, "NaN", "NA", "null"]
    assert column(tmp_path, texts, pa.string()) == ['""', "", "NaN", "NA", "null"]
    moments = [datetime(2024, 1, 1, tzinfo=UTC), None]
    assert column(tmp_path, moments, pa.timestamp("us", "UTC"))[1] == ""


def test_f38_formulas_are_harmless_and_numbers_stay_numbers(tmp_path: Path) -> None:
    texts = ["=1+2", "@SUM(A1)", "+86 13800000000", "\t=1", "-foo", "\r=1", " =1", "＝1+2", "a=1"]  # noqa: RUF001
    table = pa.table(
        {"t": texts, "n": pa.array([Decimal("-5.20")] * len(texts), pa.decimal128(9, 2))}
    )
    assert lines(tmp_path, table) == [
        "'=1+2,-5.20", "'@SUM(A1),-5.20", "'+86 13800000000,-5.20", "'\t=1,-5.20", "'-foo,-5.20",
        "\"'\r=1\",-5.20", "' =1,-5.20", "'＝1+2,-5.20", "a=1,-5.20",  # noqa: RUF001
    ]  # fmt: skip


def test_f38_headings_are_guarded_too(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    write_csv(pa.table({"=1+2": [1]}), path, timezone="UTC")
    assert path.read_text("utf-8-sig").startswith("'=1+2")


@pytest.mark.parametrize("text", ["=1", "'=1", "''=1", "'", "'a", "it's", ""])
def test_f38_guard_can_be_undone(text: str) -> None:
    assert unguarded(guarded(text)) == text


def test_f43_repeated_hours_differ_by_their_offset(tmp_path: Path) -> None:
    moments = [datetime(2013, 11, 3, hour, tzinfo=UTC) for hour in (5, 6)]
    expected = ["2013-11-03T01:00:00-04:00", "2013-11-03T01:00:00-05:00"]
    assert column(tmp_path, moments, pa.timestamp("us", "UTC")) == expected
    days = [date(1899, 12, 31), date(1900, 2, 28)]
    assert column(tmp_path, days, pa.date32()) == ["1899-12-31", "1900-02-28"]


def test_f76_microseconds_are_kept(tmp_path: Path) -> None:
    naive = [datetime(2024, 10, 27, 2, 30, 0, 123456)]  # noqa: DTZ001
    assert column(tmp_path, naive, pa.timestamp("us")) == ["2024-10-27T02:30:00.123456"]


def test_f78_text_stays_text_and_is_quoted_where_needed(tmp_path: Path) -> None:
    texts = ["00123", "NA", "1,5", 'say "hi"', "two\nlines", " x ", "\\.", "a;b"]
    expected = [
        "00123", "NA", '"1,5"', '"say ""hi"""', '"two\nlines"', '" x "', '"\\."', "a;b",
    ]  # fmt: skip
    assert column(tmp_path, texts, pa.string()) == expected


def test_floats_and_bools(tmp_path: Path) -> None:
    values = [0.1, 1e22, -0.0, math.nan, math.inf, -math.inf, None]
    expected = ["0.1", "1e+22", "-0.0", "NaN", "Infinity", "-Infinity", ""]
    assert column(tmp_path, values, pa.float64()) == expected
    assert column(tmp_path, [True, False, None], pa.bool_()) == ["true", "false", ""]


def test_float32_has_the_digits_that_were_meant(tmp_path: Path) -> None:
    values = [0.1, 16777216.0, 3.4028235e38, 1e-45, -0.0, math.nan, -math.inf, None]
    expected = ["0.1", "16777216.0", "3.4028235e+38", "1e-45", "-0.0", "NaN", "-Infinity", ""]
    assert column(tmp_path, values, pa.float32()) == expected
    assert column(tmp_path, [[0.1, None]], pa.list_(pa.float32())) == ['"{""0.1"",NULL}"']


def test_times_bytes_and_small_numbers(tmp_path: Path) -> None:
    times = [time(10), time(10, 0, 0, 500_000), time(23, 59, 59, 999_999), None]
    expected = ["10:00:00", "10:00:00.500000", "23:59:59.999999", ""]
    assert column(tmp_path, times, pa.time64("us")) == expected
    assert column(tmp_path, [b"\0\xff", b"", None], pa.binary()) == ["\\x00ff", "\\x", ""]
    assert column(tmp_path, [-(2**15), None], pa.int16()) == ["-32768", ""]


LISTS: list[tuple[pa.DataType, list[Any], str]] = [
    (pa.int64(), [2**63 - 1, None], '{"9223372036854775807",NULL}'),
    (pa.string(), ["", "NULL", 'a"b', "\\", "é,", "=1+2", "\n"],
     '{"","NULL","a\\"b","\\\\","é,","=1+2","\n"}'),
    (pa.decimal128(9, 2), [Decimal("-0.1")], '{"-0.10"}'),
    (pa.float64(), [math.nan, -math.inf], '{"NaN","-Infinity"}'),
    (pa.bool_(), [True, False], '{"true","false"}'),
    (pa.binary(), [b"\0"], '{"\\\\x00"}'),
    (pa.time64("us"), [time(1, 2, 3)], '{"01:02:03"}'),
    (pa.timestamp("us", "UTC"), [datetime(2013, 11, 3, h, tzinfo=UTC) for h in (5, 6)],
     '{"2013-11-03T01:00:00-04:00","2013-11-03T01:00:00-05:00"}'),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "elements", "text"), LISTS, ids=[str(case[0]) for case in LISTS])
def test_lists_are_what_postgresql_reads(
    tmp_path: Path, kind: pa.DataType, elements: list[Any], text: str
) -> None:
    quoted = '"' + text.replace('"', '""') + '"'
    assert column(tmp_path, [elements, [], None], pa.list_(kind)) == [quoted, "{}", ""]


def test_the_first_and_the_last_day_are_written(tmp_path: Path) -> None:
    """9999-12-31 is what many a database says for "until further notice"."""
    days = [date.min, date.max]
    assert column(tmp_path, days, pa.date32()) == ["0001-01-01", "9999-12-31"]


def test_nul_is_replaced(tmp_path: Path) -> None:
    assert column(tmp_path, ["ab\0cd"], pa.string()) == ["ab\ufffdcd"]


def test_no_rows_gives_a_heading(tmp_path: Path) -> None:
    assert column(tmp_path, [], pa.int64()) == []


def test_batches_are_joined_in_order(tmp_path: Path) -> None:
    count = 25_000
    assert column(tmp_path, list(range(count)), pa.int64()) == [str(i) for i in range(count)]


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (pa.array([{"a": 1}]), r"column 'c' has Arrow type struct.*allowed: .*int64"),
        (pa.array([[[1]]]), r"column 'c' has Arrow type list<.*list<.*allowed: a list of one"),
        (
            pa.array([[2**60]], pa.list_(pa.timestamp("us"))),
            r"column 'c': .*1152921504606846976.*allowed: 0001-01-01 to",
        ),
        (pa.array([1], pa.timestamp("ns")), r"column 'c' has Arrow type timestamp\[ns\]"),
        (
            pa.array([date.max], pa.date32())
            .cast(pa.timestamp("us"))
            .cast(pa.timestamp("us", "UTC")),
            r"column 'c': 9999-12-31.*allowed: 0001-01-02 to 9999-12-30",
        ),
        (
            pa.array([2**60], pa.timestamp("us")),
            r"column 'c': .*1152921504606846976.*allowed: 0001-01-01 to",
        ),
    ],
)
def test_what_cannot_be_written_is_refused_and_leaves_the_old_file(
    tmp_path: Path, array: pa.Array, message: str
) -> None:
    path = tmp_path / "t.csv"
    path.write_text("old")
    with pytest.raises(TerminalError, match=message):
        write_csv(pa.table({"c": array}), path, timezone="UTC")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_unknown_zone_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TerminalError, match=r"'Mars/Base'; allowed: IANA"):
        write_csv(pa.table({"c": [1]}), tmp_path / "t.csv", timezone="Mars/Base")
