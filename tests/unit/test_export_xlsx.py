"""XLSX workbooks: each fault of the field list that a workbook can have."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from openpyxl import Workbook, load_workbook

from reporting.core.export.xlsx_file import write_xlsx
from reporting.errors import TerminalError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

pytestmark = pytest.mark.unit

NEW_YORK = "America/New_York"


def written(tmp_path: Path, sheets: Mapping[str, pa.Table], **options: int) -> Workbook:
    path = tmp_path / "t.xlsx"
    rows = write_xlsx(sheets, path, timezone=NEW_YORK, **options)
    assert rows == sum(table.num_rows for table in sheets.values())
    return load_workbook(path)


def cells(tmp_path: Path, values: Sequence[object], kind: pa.DataType) -> list[Any]:
    sheet = written(tmp_path, {"s": pa.table({"c": pa.array(values, kind)})})["s"]
    return [sheet.cell(row + 2, 1) for row in range(len(values))]


def test_heading_is_bold_frozen_and_has_a_filter(tmp_path: Path) -> None:
    sheet = written(tmp_path, {"s": pa.table({"城市": ["北京"], "n": [12345678901]})})["s"]
    assert [cell.value for cell in sheet[1]] == ["城市", "n"]
    assert all(cell.font.bold for cell in sheet[1])
    assert (sheet.freeze_panes, sheet.auto_filter.ref) == ("A2", "A1:B2")
    assert sheet.column_dimensions["B"].width > 11


def test_f28_large_ids_are_text_and_null_is_no_cell(tmp_path: Path) -> None:
    ids = [9007199254740993, 9007199254740992, None, 999999999999999]
    big, other, null, small = cells(tmp_path, ids, pa.int64())
    assert [big.value, other.value] == ["9007199254740993", "9007199254740992"]
    assert big.alignment.horizontal == "right"
    assert null.value is None
    assert (small.value, small.number_format) == (999999999999999, "0")


def test_f30_decimals_are_numbers_only_where_they_are_exact(tmp_path: Path) -> None:
    values = [Decimal("12345678901234.567891"), Decimal("-0.005"), Decimal("12345678901.5")]
    long, short, padded = cells(tmp_path, values, pa.decimal128(20, 6))
    assert long.value == "12345678901234.567891"
    assert (short.value, short.number_format) == (-0.005, "0.000000")
    assert padded.value == 12345678901.5
    (tiny,) = cells(tmp_path, [Decimal("1E-31")], pa.decimal128(38, 31))
    assert tiny.value == "0." + "0" * 30 + "1"


def test_f31_texts_that_look_like_null_stay_text(tmp_path: Path) -> None:
    texts = ["NaN", "NA", "null", "", None]
    found = cells(tmp_path, texts, pa.string())
    assert [cell.value for cell in found[:3]] == texts[:3]
    assert [cell.data_type for cell in found[3:]] == ["s", "n"]


def test_f35_characters_xml_cannot_hold_are_replaced(tmp_path: Path) -> None:
    (cell,) = cells(tmp_path, ["ab\0c\x01d\uffff\n\t"], pa.string())
    assert cell.value == "ab\ufffdc\ufffdd\ufffd\n\t"


def test_f38_text_is_never_a_formula_link_or_markup(tmp_path: Path) -> None:
    texts = ["=1+2", "{=1}", "@SUM(A1)", "http://a.example", "00123", "<r><t>x</t></r>", "&amp;"]
    found = cells(tmp_path, texts, pa.string())
    assert [cell.value for cell in found] == texts
    assert {cell.data_type for cell in found} <= {"s", "inlineStr"}
    assert all(cell.hyperlink is None for cell in found)
    assert [bool(cell.quotePrefix) for cell in found[:3]] == [True, False, True]


def test_f41_rows_beyond_a_sheet_go_on_over_further_sheets(tmp_path: Path) -> None:
    book = written(
        tmp_path, {"ids": pa.table({"n": range(7)}), "x": pa.table({"n": [1]})}, max_rows=3
    )
    assert book.sheetnames == ["ids", "ids (2)", "ids (3)", "x"]
    columns = [[cell.value for cell in sheet["A"]] for sheet in book]
    assert columns == [["n", 0, 1, 2], ["n", 3, 4, 5], ["n", 6], ["n", 1]]
    assert book["ids (3)"].auto_filter.ref == "A1:A2"


@pytest.mark.parametrize(("rows", "names"), [(0, ["s"]), (3, ["s"]), (4, ["s", "s (2)"])])
def test_f41_edges_of_a_sheet(tmp_path: Path, rows: int, names: list[str]) -> None:
    table = pa.table({"n": pa.array(range(rows), pa.int64())})
    assert written(tmp_path, {"s": table}, max_rows=3).sheetnames == names


def test_f41_max_rows_cannot_exceed_a_sheet(tmp_path: Path) -> None:
    with pytest.raises(TerminalError, match=r"max_rows is 1048576; allowed: 1 to 1048575"):
        written(tmp_path, {"s": pa.table({"n": [1]})}, max_rows=1_048_576)


def test_f43_zoned_times_are_local_and_the_heading_names_the_zone(tmp_path: Path) -> None:
    moments = pa.array([datetime(2024, 7, 1, 12, tzinfo=UTC)], pa.timestamp("us", "UTC"))
    sheet = written(tmp_path, {"s": pa.table({"time": moments})})["s"]
    assert sheet["A1"].value == "time (America/New_York)"
    assert sheet["A2"].value == datetime(2024, 7, 1, 8)  # noqa: DTZ001
    assert sheet["A2"].number_format == "yyyy-mm-dd hh:mm:ss"


def test_f43_dates_before_march_1900_are_iso_text(tmp_path: Path) -> None:
    days = [date(1899, 12, 31), date(1900, 2, 28), date(1900, 3, 1)]
    found = cells(tmp_path, days, pa.date32())
    assert [cell.value for cell in found[:2]] == ["1899-12-31", "1900-02-28"]
    assert found[2].value == datetime(1900, 3, 1)  # noqa: DTZ001
    assert found[2].number_format == "yyyy-mm-dd"
    old = datetime(1900, 2, 28, 23, 59, 59)  # noqa: DTZ001
    assert cells(tmp_path, [old], pa.timestamp("us"))[0].value == "1900-02-28T23:59:59"


def test_f76_times_are_cut_to_the_millisecond_never_rounded_up(tmp_path: Path) -> None:
    late = datetime(2024, 12, 31, 23, 59, 59, 999999)  # noqa: DTZ001
    (cell,) = cells(tmp_path, [late], pa.timestamp("us"))
    assert cell.value == late.replace(microsecond=999000)
    assert cell.number_format == "yyyy-mm-dd hh:mm:ss.000"


def test_floats_and_bools(tmp_path: Path) -> None:
    values = [0.1 + 0.2, math.nan, math.inf, -math.inf]
    found = cells(tmp_path, values, pa.float64())
    assert [cell.value for cell in found] == [0.1 + 0.2, "NaN", "Infinity", "-Infinity"]
    assert found[0].number_format == "General"
    assert [cell.value for cell in cells(tmp_path, [True, False], pa.bool_())] == [True, False]


def test_text_too_long_for_a_cell_is_refused_with_its_place(tmp_path: Path) -> None:
    fits, too_long = "𝄞" * 16_383 + "x", "𝄞" * 16_384
    assert cells(tmp_path, [fits], pa.string())[0].value == fits
    (tmp_path / "t.xlsx").unlink()
    with pytest.raises(TerminalError, match=r"'s', column 'c', row 2: text of 32768 .* 32767"):
        cells(tmp_path, [fits, too_long], pa.string())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("sheets", "message"),
    [
        ({}, "no table"),
        ({"s": pa.table({})}, "no columns"),
        ({"s": pa.table({"c": [{"a": 1}]})}, r"column 'c' has Arrow type struct"),
        (
            {"s": pa.table({"c": pa.array([2**60], pa.timestamp("us"))})},
            r"'s', column 'c': .*1152921504606846976",
        ),
        ({"s": pa.table({str(n): [1] for n in range(16_385)})}, r"16385 columns; allowed: 16384"),
    ],
)
def test_what_cannot_be_written_is_refused_before_anything_is(
    tmp_path: Path, sheets: Mapping[str, pa.Table], message: str
) -> None:
    with pytest.raises(TerminalError, match=message):
        written(tmp_path, sheets)
    assert list(tmp_path.iterdir()) == []


def test_float32_is_the_number_that_was_meant(tmp_path: Path) -> None:
    found = cells(tmp_path, [0.1, math.nan], pa.float32())
    assert [cell.value for cell in found] == [0.1, "NaN"]


def test_a_time_of_day_is_a_cell_of_its_kind_where_it_is_exact(tmp_path: Path) -> None:
    times = [time(10), time(23, 59, 59, 999_000), time(0), time(10, 0, 0, 1), None]
    whole, milli, midnight, fine, null = cells(tmp_path, times, pa.time64("us"))
    assert (whole.value, whole.number_format) == (time(10), "hh:mm:ss")
    assert (milli.value, milli.number_format) == (time(23, 59, 59, 999_000), "hh:mm:ss.000")
    assert midnight.value == time(0)
    assert fine.value == "10:00:00.000001"
    assert null.value is None


def test_bytes_and_lists_are_the_text_of_the_csv_file(tmp_path: Path) -> None:
    (blob,) = cells(tmp_path, [b"\0\xff"], pa.binary())
    assert blob.value == "\\x00ff"
    many, none, null = cells(tmp_path, [["=1", None, "\x01"], [], None], pa.list_(pa.string()))
    assert (many.value, none.value, null.value) == ('{"=1",NULL,"\ufffd"}', "{}", None)
    moments = pa.list_(pa.timestamp("us", "UTC"))
    (local,) = cells(tmp_path, [[datetime(2024, 7, 1, 12, tzinfo=UTC)]], moments)
    assert local.value == '{"2024-07-01T08:00:00-04:00"}'


@pytest.mark.parametrize(
    ("kind", "fits", "too_long", "units"),
    [
        (pa.binary(), b"x" * 16_382, b"x" * 16_383, 32_768),
        (pa.list_(pa.string()), ["x" * 32_763], ["x" * 32_764], 32_768),
        (pa.list_(pa.string()), [None] * 6_553, [None] * 6_554, 32_771),
        (pa.list_(pa.int16()), [7] * 8_191, [7] * 8_192, 32_769),
        (pa.list_(pa.float32()), [0.1] * 5_461, [0.1] * 5_462, 32_773),
    ],
)
def test_bytes_and_lists_too_long_for_a_cell_are_refused(
    tmp_path: Path, kind: pa.DataType, fits: Any, too_long: Any, units: int
) -> None:
    assert len(cells(tmp_path, [fits], kind)[0].value) <= 32_767
    with pytest.raises(TerminalError, match=rf"column 'c', row 2: text of {units} characters"):
        cells(tmp_path, [fits, too_long, None], kind)


def test_the_same_table_gives_the_same_bytes(tmp_path: Path) -> None:
    paths = [tmp_path / "a.xlsx", tmp_path / "b.xlsx"]
    for path in paths:
        write_xlsx({"s": pa.table({"n": [1]})}, path, timezone="UTC")
    assert paths[0].read_bytes() == paths[1].read_bytes()


def test_an_error_while_writing_leaves_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr("reporting.core.export.xlsx_file.write_sheet", fail)
    with pytest.raises(OSError, match="disk full"):
        written(tmp_path, {"s": pa.table({"n": [1]})})
    assert list(tmp_path.iterdir()) == []
