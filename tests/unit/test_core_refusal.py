"""The row and the column are found in any language that the server speaks."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from reporting.core.warehouse.refusal import _place
from tests.specimens import a_table

pytestmark = pytest.mark.unit

TABLE = a_table(columns=dict.fromkeys(["id", "x", "x: y", "\n"], "int64"))


@pytest.mark.parametrize(
    ("context", "place"),
    [
        ('COPY sales__t1__releases, line 3, column x: "1"', ", row 3, column 'x'"),
        ('COPY sales__t1__releases, line 3, column x: y: "1"', ", row 3, column 'x: y'"),
        ('COPY sales__t1__releases, line 3, column \n: "1"', ", row 3, column '\\n'"),
        ("COPY sales__t1__releases, line 3, column x: null input", ", row 3, column 'x'"),
        ("COPY sales__t1__releases, Zeile 12, Spalte x: »1«", ", row 12, column 'x'"),
        ("COPY sales__t1__releases, 行 3, 列 x: “1”", ", row 3, column 'x'"),
        ('COPY sales__t1__releases, line 3: "1\t2, column x: "', ", row 3"),
        ("COPY sales__t1__releases, line 3", ", row 3"),
        ('SQL function "f"\nCOPY sales__t1__releases, line 3', ", row 3"),
        ("COPY another, line 3", ""),
        (None, ""),
    ],
)
def test_place(context: str | None, place: str) -> None:
    said: Any = SimpleNamespace(context=context, column_name=None, source_function=None)

    assert _place(said, "sales__t1__releases", TABLE) == place
