"""How a step has ended, in numbers and in words."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from reporting.core.step_end import Published, StepEnd, dropped_metrics

pytestmark = pytest.mark.unit


def ended(step: str, **result: Any) -> StepEnd:
    return StepEnd("sales", step, "success", timedelta(seconds=1.5), 2, result)


def test_the_metrics_of_a_fetch() -> None:
    metrics = ended("fetch_orders", rows=37, bytes=4096, parts=1).metrics()

    assert [(metric.name, metric.kind, metric.value) for metric in metrics] == [
        ("reporting.step.duration", "timing", 1500),
        ("reporting.step.ended", "count", 1),
        ("reporting.step.tries", "gauge", 2),
        ("reporting.step.rows", "count", 37),
        ("reporting.step.bytes", "count", 4096),
    ]
    assert {tuple(metric.tags.items()) for metric in metrics} == {
        (
            ("report", "sales"),
            ("step", "fetch_orders"),
            ("outcome", "success"),
            ("source", "orders"),
        )
    }


def test_rows_per_table_add_up_and_other_steps_have_no_source() -> None:
    metrics = {metric.name: metric for metric in ended("store", rows={"a": 2, "b": 3}).metrics()}
    assert metrics["reporting.step.rows"].value == 5
    assert "reporting.step.bytes" not in metrics
    assert "source" not in metrics["reporting.step.rows"].tags


def test_dropped_notices_are_counted_by_reason() -> None:
    (metric,) = dropped_metrics("sales", "store", {"late": 2})
    assert (metric.name, metric.value) == ("reporting.notices.dropped", 2)
    assert metric.tags == {"report": "sales", "step": "store", "reason": "late"}


def test_a_notice_names_what_readers_see_now_and_no_secret() -> None:
    published = Published(
        "Sales https://u:pw@shop.example/?token=abc",
        "sales",
        "2024-05-01",
        3,
        {"totals": 12345},
        timedelta(seconds=61.4),
        "http://airflow.example/dags/sales/runs/1",
    )

    assert published.text == (
        "[published] Sales https://…@shop.example/?… (sales), 2024-05-01, version 3\n"
        "Rows: totals 12,345\nTook: 61 s\nOpen: http://airflow.example/dags/sales/runs/1"
    )
