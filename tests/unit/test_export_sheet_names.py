"""Sheet names: what Excel refuses never reaches it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl import load_workbook

from reporting.core.export.sheet_names import MAX_UNITS, sheet_names
from reporting.core.export.xlsx_file import write_xlsx
from reporting.core.export.xml_text import utf16_units

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("sales", "sales"),
        ("Sales/2024:Q1 [EU]*?", "Sales_2024_Q1 _EU___"),
        ("History", "History_"),
        ("hISTORY", "hISTORY_"),
        ("'quoted'", "quoted"),
        ("  blank  ", "blank"),
        ("", "Sheet"),
        ("'", "Sheet"),
        ("a\0b\nc", "a_b_c"),
        ("x" * 40, "x" * 31),
        ("x" * 30 + "'y", "x" * 30),
        ("𝄞" * 16, "𝄞" * 15),
        ("航班准点率", "航班准点率"),
    ],
)
def test_f81_names_are_cleaned_and_cut(title: str, name: str) -> None:
    assert sheet_names([title]) == [name]


def test_f81_names_equal_after_the_cut_are_numbered() -> None:
    titles = ["x" * 31 + "first 40", "x" * 31 + "second 40", "X" * 31]
    assert sheet_names(titles) == ["x" * 31, "x" * 27 + " (2)", "X" * 27 + " (3)"]
    assert sheet_names(["a", "a", "A (2)"]) == ["a", "a (2)", "A (2) (2)"]
    assert sheet_names(["", "Sheet", "sheet"]) == ["Sheet", "Sheet (2)", "sheet (3)"]


@given(st.lists(st.text(alphabet="aA'ß𝄞 :/[]hHistoryISTORY()2İ\ud800", max_size=40), max_size=12))
def test_f81_every_name_is_allowed_and_unique(titles: list[str]) -> None:
    names = sheet_names(titles)
    assert len(names) == len(titles)
    assert len({name.lower() for name in names}) == len({n.upper() for n in names}) == len(names)
    for name in names:
        assert 1 <= utf16_units(name) <= MAX_UNITS
        assert not re.search(r"[\[\]:*?/\\]", name)
        assert not name.startswith("'")
        assert not name.endswith("'")
        assert name.lower() != "history"


def test_f81_the_workbook_takes_them(tmp_path: Path) -> None:
    titles = ["Sales/2024:Q1 [EU]*?", "x" * 40, "x" * 31 + "y", "History", "'apostrophe"]
    table = pa.table({"n": [1]})
    write_xlsx(dict.fromkeys(titles, table), tmp_path / "t.xlsx", timezone="UTC")
    assert load_workbook(tmp_path / "t.xlsx").sheetnames == sheet_names(titles)
