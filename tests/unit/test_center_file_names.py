"""A downloaded file's name survives any title (RFC 6266, RFC 5987)."""

from __future__ import annotations

from datetime import UTC, datetime
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from report_center.api.file_names import (
    FORBIDDEN,
    LONGEST_BYTES,
    content_type,
    disposition,
    download_name,
    safe_name,
)
from report_center.records.releases import ReleaseRow

pytestmark = pytest.mark.unit
RELEASE = ReleaseRow(
    7, "sales", "2024-05-01", "k", 3, {}, True, True, "run", datetime(2024, 5, 2, tzinfo=UTC),
    {}, {}, {}, {}, (),
)  # fmt: skip


@given(st.text(max_size=300))
def test_any_title_makes_one_header_of_one_line(title: str) -> None:
    name = download_name(title, RELEASE, "sales_totals.xlsx")
    header = disposition(name, "sales_totals.xlsx")

    assert header.isascii()
    assert header.isprintable()
    assert header.count('"') == 2
    encoded = header.partition("filename*=UTF-8''")[2]
    assert unquote(encoded) == name
    assert name.endswith(".xlsx")
    assert not set(name) & FORBIDDEN


@given(st.text(max_size=500))
def test_a_safe_name_is_one_that_file_systems_take(text: str) -> None:
    name = safe_name(text)
    assert 0 < len(name.encode()) <= LONGEST_BYTES
    assert name not in (".", "..")
    assert not name.endswith((".", " "))


def test_the_name_says_what_it_is() -> None:
    name = download_name("Umsatz / 销售额", RELEASE, "sales_totals.csv")
    assert name == "Umsatz _ 销售额 totals 2024-05-01 v3.csv"
    assert disposition('a"b;c\r\n', 'x"y.csv').startswith('attachment; filename="x_y.csv"; ')


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.csv", "text/csv; charset=utf-8"),
        ("a.CSV", "text/csv; charset=utf-8"),
        ("a.xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
        ("a.html", "application/octet-stream"),
        ("a.svg", "application/octet-stream"),
        ("a", "application/octet-stream"),
    ],
)
def test_nothing_goes_out_as_what_a_browser_would_run(name: str, kind: str) -> None:
    assert content_type(name) == kind
