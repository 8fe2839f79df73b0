"""When a run of a report whose file is broken or gone is over its time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from reporting.airflow_edge.stranded import is_overdue

NOW = datetime(2024, 5, 2, 12, tzinfo=UTC)


def ago(minutes: float) -> str:
    return (NOW - timedelta(minutes=minutes)).isoformat().replace("+00:00", "Z")


@pytest.mark.parametrize(
    ("limit", "started", "asked", "read", "is_over"),
    [
        ("PT1H", 61, 90, 5, True),
        ("PT1H", 59, 90, 59, False),
        ("PT3H0.5S", 179, 300, 5, False),
        ("P1DT1H", 60 * 25 + 1, 60 * 30, 5, True),
        # One that has not begun waits for its turn as long as the file can be read.
        ("PT1H", None, 300, 59, False),
        ("PT1H", None, 300, 61, True),
        ("PT1H", None, 59, 300, False),
        ("PT1H", None, 61, None, True),
        (None, 9000, 9000, 9000, False),
    ],
)
def test_it_is_over_after_run_limit(
    limit: str | None, started: float | None, asked: float, read: float | None, is_over: bool
) -> None:
    run = {"start_date": started and ago(started), "run_after": ago(asked)}
    dag = {"dag_run_timeout": limit, "last_parsed_time": read and ago(read)}

    assert is_overdue(run, dag, NOW) is is_over
