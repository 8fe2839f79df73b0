"""Any table comes back from its files value by value."""

from __future__ import annotations

import csv
import io
import math
import re
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl import load_workbook

from reporting.core.export.csv_file import write_csv
from reporting.core.export.formula_guard import unguarded
from reporting.core.export.xlsx_file import write_xlsx
from reporting.core.export.xml_text import legal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

pytestmark = pytest.mark.unit

ZONE = ZoneInfo("America/New_York")
TEXTS = st.text(st.characters(codec="utf-8"), max_size=12) | st.text(
    "'=+-@ \t\r\n\",\\.x_0<r>/", max_size=8
)
MOMENTS = st.datetimes(datetime(1, 1, 3), datetime(9999, 12, 29))  # noqa: DTZ001
COLUMNS: dict[str, tuple[pa.DataType, st.SearchStrategy[Any]]] = {
    "text": (pa.string(), TEXTS),
    "whole": (pa.int64(), st.integers(-(2**63), 2**63 - 1) | st.integers(-9, 9)),
    "float": (pa.float64(), st.floats()),
    "money": (pa.decimal128(20, 6), st.decimals(-(10**13), 10**13, places=6)),
    "flag": (pa.bool_(), st.booleans()),
    "day": (pa.date32(), st.dates(date(1, 1, 3), date(9999, 12, 29))),
    "wall": (pa.timestamp("us"), MOMENTS),
    "instant": (pa.timestamp("us", "UTC"), MOMENTS.map(lambda moment: moment.replace(tzinfo=UTC))),
}
SCHEMA = pa.schema([(name, kind) for name, (kind, _) in COLUMNS.items()])
ROWS = st.lists(
    st.fixed_dictionaries({name: st.none() | values for name, (_, values) in COLUMNS.items()}),
    max_size=6,
)


def same(left: object, right: object) -> bool:
    if isinstance(left, float) and isinstance(right, float) and math.isnan(left):
        return math.isnan(right)
    return type(left) is type(right) and left == right


# --- CSV ------------------------------------------------------------------------------------

READ_TEXT: dict[str, Callable[[str], Any]] = {
    "text": unguarded,
    "whole": int,
    "float": float,
    "money": Decimal,
    "flag": {"true": True, "false": False}.__getitem__,
    "day": date.fromisoformat,
    "wall": datetime.fromisoformat,
    "instant": datetime.fromisoformat,
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
            value = row[name]
            got = None if field is None else READ_TEXT[name](field)
            expected = value.replace("\0", "\ufffd") if isinstance(value, str) else value
            assert got == expected or same(got, expected), name


# --- XLSX -----------------------------------------------------------------------------------


def unescaped(text: str) -> str:
    """Read _xHHHH_ as Excel does; openpyxl leaves it as it is."""
    return re.sub("_x([0-9A-Fa-f]{4})_", lambda match: chr(int(match[1], 16)), text)


def expected_cell(name: str, value: object) -> object:
    if isinstance(value, str):
        return legal(value)
    if isinstance(value, float) and not math.isfinite(value):
        return {math.inf: "Infinity", -math.inf: "-Infinity"}.get(value, "NaN")
    if name == "whole" and isinstance(value, int) and abs(value) >= 10**15:
        return str(value)
    if isinstance(value, Decimal):
        digits = str(abs(int(value.scaleb(6)))).rstrip("0")
        return float(value) if len(digits) <= 15 else f"{value:.6f}"
    if name == "instant" and isinstance(value, datetime):
        value = value.astimezone(ZONE).replace(tzinfo=None)
    if isinstance(value, date) and value.isoformat() < "1900-03-01":
        return value.isoformat()
    return value


def agrees(got: object, expected: object) -> bool:
    if isinstance(expected, datetime) and isinstance(got, datetime):
        return timedelta(0) <= expected - got < timedelta(milliseconds=1)
    if isinstance(expected, date) and isinstance(got, datetime):
        return got == datetime(expected.year, expected.month, expected.day)  # noqa: DTZ001
    if isinstance(got, str):
        return unescaped(got) == expected
    return bool(got == expected)


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
            assert agrees(got, expected), (name, value, got)
