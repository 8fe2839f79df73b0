"""What people read of a release that lacks something: the notice, and the mail with the files."""

from __future__ import annotations

import pytest

from reporting.core.shortfall import REASON_SHOWN, Shortfall, delivery_text

pytestmark = pytest.mark.unit

CENTER = "http://airflow/reports/runs/sales/manual__1"


def test_a_shortfall_names_what_is_missing_and_why() -> None:
    missing = {"weather": "HTTP 500", "fuel": "0 rows"}
    shortfall = Shortfall("Sales", "sales", "2024-05-01", "manual__1", 7, 3, "http://x", missing)

    assert "without weather" in shortfall.subject
    command = "reports clear sales manual__1 fetch_weather fetch_fuel\n"
    for word in ("version 3", "weather: HTTP 500", command, "http://x"):
        assert word in shortfall.text


def test_f33_a_shortfall_says_how_many_rows_were_set_aside_and_where_they_are() -> None:
    shortfall = Shortfall(
        "Sales", "sales", "2024-05-01", "manual__1", 7, 3, "http://x", {}, {"orders": 1, "fuel": 2}
    )

    assert (
        shortfall.subject
        == "[incomplete] Sales, 2024-05-01: without 1 row of orders, 2 rows of fuel"
    )
    command = "reports clear sales manual__1 fetch_orders fetch_fuel\n"
    for word in ("  2 rows of fuel\n", "reporting.quarantined_row, release_id 7", command):
        assert word in shortfall.text


def test_a_delivery_says_what_its_figures_were_made_without() -> None:
    missing = {"weather": "HTTP 500\nof a proxy", "fuel": "x" * 900}
    subject, text = delivery_text("Sales, 2024-05-01 (version 1)", missing, {"orders": 1})

    assert subject == "Sales, 2024-05-01 (version 1), incomplete"
    assert "The files are attached." in text
    assert "made without:\n  weather: HTTP 500 of a proxy\n" in text
    assert f"  fuel: {'x' * REASON_SHOWN}…\n" in text
    assert "  1 row of orders, set aside because it did not fit\n" in text
    assert "Columns that come from a missing source are empty." in text
    only = delivery_text("Sales", {}, {"orders": 2})[1]
    assert "2 rows of orders, set aside because they did not fit" in only
    assert "missing source" not in only


def test_a_complete_delivery_is_short() -> None:
    assert delivery_text("Sales", {}, {}) == ("Sales", "Sales\n\nThe files are attached.")


def test_a_shortfall_links_to_the_report_center() -> None:
    shortfall = Shortfall("Sales", "sales", "2024", "r", 7, 3, "http://x", {"a": "no"}, {}, CENTER)
    assert shortfall.text.endswith(f"\nReport center: {CENTER}\nOpen: http://x")
