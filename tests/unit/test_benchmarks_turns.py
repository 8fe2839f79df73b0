"""Contenders are measured in turns, and the median of each counts."""

from __future__ import annotations

import pytest
from benchmarks.turns import in_turns

pytestmark = pytest.mark.unit


def test_contenders_take_turns_and_the_median_counts() -> None:
    order: list[str] = []
    ours, peer = iter([1.0, 9.0, 2.0]), iter([3.0, 4.0, 30.0])

    def taken(name: str, seconds: float) -> float:
        order.append(name)
        return seconds

    found = in_turns(
        {"ours": lambda: taken("ours", next(ours)), "peer": lambda: taken("peer", next(peer))},
        rounds=3,
        before=lambda: order.append("before"),
    )

    assert found == {"ours": 2.0, "peer": 4.0}
    assert order == ["before", "ours", "before", "peer"] * 3
