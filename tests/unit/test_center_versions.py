"""What each version changed against the one before it."""

from __future__ import annotations

import pytest

from report_center.records.versions import with_differences
from tests.center_rows import a_release

pytestmark = pytest.mark.unit


def test_differences_are_against_the_version_before_of_the_same_params() -> None:
    found = with_differences(
        [
            a_release(4, row_counts={"new": 5}, request_key="plain"),
            a_release(3, row_counts={"totals": 1}, request_key="UA"),
            a_release(2, row_counts={"totals": 12, "old": 3}, request_key="plain"),
            a_release(1, row_counts={"totals": 10, "old": 3}, request_key="plain"),
        ]
    )

    assert [row.release.release_id for row in found] == [4, 3, 2, 1]
    assert [row.differences for row in found] == [
        {"new": 5, "totals": -12, "old": -3},
        {},
        {"totals": 2, "old": 0},
        {},
    ]
