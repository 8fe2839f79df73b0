"""Any table comes back from its files value by value."""

from __future__ import annotations

import csv
import io
import math
import re
import struct
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl import load_workbook

from reporting.core.array_text import read_list
from reporting.core.export.csv_file import write_csv
from reporting.core.export.formula_guard import unguarded
from reporting.core.export.xlsx_file import write_xlsx
from reporting.core.export.xml_text import legal

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.unit

ZONE = ZoneInfo("America/New_York")
TEXTS = st.text(st.characters(codec="utf-8"), max_size=12) | st.text(
    "'=+-@ \t\r\n\",\\.x_0<r>/", max_size=8
)
MOMENTS = st.datetimes(datetime(1, 1, 3), datetime(9999, 12, 29))  # noqa: DTZ001
INSTANTS = MOMENTS.map(lambda moment: moment.replace(tzinfo=UTC))
CLOCKS = st.times() | st.times().map(lambda clock: clock.replace(microsecond=0))
SINGLES = st.floats(width=32)
COLUMNS: dict[str, tuple[pa.DataType, st.SearchStrategy[Any]]] = {
    "text": (pa.string(), TEXTS),
    "whole": (pa.int64(), st.integers(-(2**63), 2**63 - 1) | st.integers(-9, 9)),
    "float": (pa.float64(), st.floats()),
    "money": (pa.decimal128(20, 6), st.decimals(-(10**13), 10**13, places=6)),
    "flag": (pa.bool_(), st.booleans()),
    "day": (pa.date32(), st.dates(date(1, 1, 3), date(9999, 12, 29))),
    "wall": (pa.timestamp("us"), MOMENTS),
    "instant": (pa.timestamp("us", "UTC"), INSTANTS),
    "small": (pa.int16(), st.integers(-(2**15), 2**15 - 1)),
    "single": (pa.float32(), SINGLES),
    "clock": (pa.time64("us"), CLOCKS),
    "blob": (pa.binary(), st.binary(max_size=9)),
    "texts": (pa.list_(pa.string()), st.lists(st.none() | TEXTS, max_size=3)),
    "singles": (pa.list_(pa.float32()), st.lists(st.none() | SINGLES, max_size=3)),
    "instants": (pa.list_(pa.timestamp("us", "UTC")), st.lists(st.none() | INSTANTS, max_size=3)),
}
SCHEMA = pa.schema([(name, kind) for name, (kind, _) in COLUMNS.items()])
ROWS = st.lists(
    st.fixed_dictionaries({name: st.none() | values for name, (_, values) in COLUMNS.items()}),
    max_size=6,
)


def same(left: object, right: object) -> bool:
    if isinstance(left, float) and isinstance(right, float) and math.isnan(left):
        return math.isnan(right)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    return type(left) is type(right) and left == right


def shown(value: object) -> object:
    """Return the value with the characters that a CSV file cannot hold replaced."""
    if isinstance(value, list):
        return [shown(element) for element in value]
    return value.replace("\0", "\ufffd") if isinstance(value, str) else value


# --- CSV ------------------------------------------------------------------------------------


def as_single(text: str) -> float:
    """Read a number as a program does that knows four bytes only."""
    return float(struct.unpack("f", struct.pack("f", float(text)))[0])


def list_of(element: Callable[[str], Any]) -> Callable[[str], list[Any]]:
    return lambda text: [None if part is None else element(part) for part in read_list(text)]


READ_TEXT: dict[str, Callable[[str], Any]] = {
    "text": unguarded,
    "whole": int,
    "float": float,
    "money": Decimal,
    "flag": {"true": True, "false": False}.__getitem__,
    "day": date.fromisoformat,
    "wall": datetime.fromisoformat,
    "instant": datetime.fromisoformat,
    "small": int,
    "single": as_single,
    "clock": time.fromisoformat,
    "blob": lambda text: bytes.fromhex(text.removeprefix(r"\x")),
    "texts": list_of(str),
    "singles": list_of(as_single),
    "instants": list_of(datetime.fromisoformat),
}


def fields_with_null(text: str) -> Iterator[list[str | None]]:
    """Read records as the csv module does, but with None for an empty field without quotes."""
    record: list[str | None] = []
    for match in re.finditer(r'("(?:[^"]|"")*"|[^",\r\n]*)(,|\r\n)', text):
        raw = match[1]
        record.append(raw[1:-1].replace('""', '"') if raw.startswith('"') else raw or None)
        if match[2] == "\r\n":
            yield record
            record = []


@settings(max_examples=100, deadline=None)
@given(rows=ROWS)
def test_csv_comes_back_exactly(
    rows: list[dict[str, Any]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("csv") / "t.csv"
    write_csv(pa.Table.from_pylist(rows, schema=SCHEMA), path, timezone=ZONE.key)
    text = path.read_bytes().decode("utf-8-sig")
    heading, *records = fields_with_null(text)
    assert [[field or "" for field in record] for record in [heading, *records]] == list(
        csv.reader(io.StringIO(text, newline=""), strict=True)
    )
    assert heading == list(COLUMNS)
    assert len(records) == len(rows)
    for row, record in zip(rows, records, strict=True):
        for name, field in zip(COLUMNS, record, strict=True):
            got = None if field is None else READ_TEXT[name](field)
            expected = shown(row[name])
            assert got == expected or same(got, expected), name


# --- XLSX -----------------------------------------------------------------------------------


def unescaped(text: str) -> str:
    """Read _xHHHH_ as Excel does; openpyxl leaves it as it is."""
    return re.sub("_x([0-9A-Fa-f]{4})_", lambda match: chr(int(match[1], 16)), text)


def old_as_text(moment: date) -> object:
    """Return a day or a moment before Excel's calendar as text."""
    return moment.isoformat() if moment.isoformat() < "1900-03-01" else moment


def finite(value: float) -> object:
    names = {math.inf: "Infinity", -math.inf: "-Infinity"}
    return value if math.isfinite(value) else names.get(value, "NaN")


def money(value: Decimal) -> object:
    digits = str(abs(int(value.scaleb(6)))).rstrip("0")
    return float(value) if len(digits) <= 15 else f"{value:.6f}"


EXPECTED_CELL: dict[str, Callable[[Any], object]] = {
    "text": legal,
    "whole": lambda value: str(value) if abs(value) >= 10**15 else value,
    "float": finite,
    "single": finite,
    "money": money,
    "day": old_as_text,
    "wall": old_as_text,
    "instant": lambda value: old_as_text(value.astimezone(ZONE).replace(tzinfo=None)),
    "clock": lambda value: value.isoformat() if value.microsecond % 1000 else value,
    "blob": lambda value: rf"\x{value.hex()}",
}


def expected_cell(name: str, value: object) -> object:
    expected = EXPECTED_CELL.get(name)
    return value if value is None or expected is None else expected(value)


def agrees(name: str, got: object, expected: object) -> bool:
    if isinstance(expected, datetime) and isinstance(got, datetime):
        return timedelta(0) <= expected - got < timedelta(milliseconds=1)
    if isinstance(expected, date) and isinstance(got, datetime):
        return got == datetime(expected.year, expected.month, expected.day)  # noqa: DTZ001
    if isinstance(got, str) and isinstance(expected, list):
        return same(READ_TEXT[name](unescaped(got)), legal_list(expected))
    if isinstance(got, str):
        return unescaped(got) == expected
    if name == "single" and isinstance(got, float | int):
        return as_single(repr(got)) == expected
    return bool(got == expected)


def legal_list(values: list[Any]) -> list[Any]:
    return [legal(value) if isinstance(value, str) else value for value in values]


@settings(max_examples=100, deadline=None)
@given(rows=ROWS)
def test_xlsx_comes_back_by_the_written_rules(
    rows: list[dict[str, Any]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path: Path = tmp_path_factory.mktemp("xlsx") / "t.xlsx"
    write_xlsx({"s": pa.Table.from_pylist(rows, schema=SCHEMA)}, path, timezone=ZONE.key)
    sheet = load_workbook(path)["s"]
    for row, values in enumerate(rows, start=2):
        for col, name in enumerate(COLUMNS, start=1):
            value = values[name]
            got, expected = sheet.cell(row, col).value, expected_cell(name, value)
            assert agrees(name, got, expected), (name, value, got)
