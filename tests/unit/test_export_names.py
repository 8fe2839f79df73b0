"""Whatever a column is called, it is called so in the files (F90)."""

from __future__ import annotations

import csv
from pathlib import Path

import pyarrow as pa
import pytest
from openpyxl import load_workbook

from reporting.core.export.csv_file import write_csv
from reporting.core.export.formula_guard import unguarded
from reporting.core.export.xlsx_file import write_xlsx
from tests.column_names import NAMES

pytestmark = pytest.mark.unit

TABLE = pa.table({name: [name] for name in NAMES})


def test_f90_names_come_back_from_csv(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    write_csv(TABLE, path, timezone="UTC")
    with path.open(encoding="utf-8-sig", newline="") as file:
        heading, row = csv.reader(file, strict=True)
    assert [unguarded(name) for name in heading] == NAMES
    assert row == heading


def test_f90_names_come_back_from_xlsx(tmp_path: Path) -> None:
    path = tmp_path / "t.xlsx"
    write_xlsx({"s": TABLE}, path, timezone="UTC")
    heading, row = load_workbook(path)["s"].iter_rows(values_only=True)
    assert list(heading) == NAMES
    assert row == heading
