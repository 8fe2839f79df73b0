"""A failed run of which something cannot be undone is told all the same, after a while (R14)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import psycopg
import pytest

from reporting.airflow_edge import alarm
from reporting.airflow_edge.failed_runs import FailedRun
from reporting.airflow_edge.settling import Undone, alarm_of, announce, is_to_be_told
from reporting.core.run import RunId
from reporting.core.run_retry import LEFT, Plan
from reporting.core.sweep import Sweep
from reporting.core.warehouse.ledger import Entry
from reporting.core.warehouse.receipts import Message
from reporting.core.warehouse.run_retries import decide, find_plan

pytestmark = pytest.mark.integration

Connection = psycopg.Connection[Any]
RUN = RunId("sales", "manual__1", 0, "2024-05-02T05:00:00+00:00")
STUCK = Undone(False, [Entry("request", "failed: away", is_done=False)], ["undo request: failed"])
CONTEXT: Any = {"ti": SimpleNamespace(xcom_pull=lambda **_: None)}


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the texts that were told; every one is sent at once."""
    texts: list[str] = []

    def messages(_: object, about: str, __: str, text: str, ___: object) -> list[Message]:
        return [Message(about, "email", "a@b.c", lambda: texts.append(text))]

    monkeypatch.setattr(alarm, "alert_messages", messages)
    monkeypatch.setattr(alarm, "run_url", lambda *_: "http://airflow/runs/1")
    monkeypatch.setattr(alarm, "center_url", lambda *_: "http://airflow/reports/runs/1")
    return texts


def settle(warehouse: Connection, ended_at: datetime) -> None:
    run = FailedRun(RUN, "Sales", "2024-05-01", {"fetch_a": "failed"}, ended_at)
    if is_to_be_told(warehouse, CONTEXT, run, STUCK):
        announce(warehouse, CONTEXT, [], alarm_of(warehouse, run, STUCK), Sweep())


def test_what_cannot_be_undone_is_told_once_after_an_hour(
    warehouse: Connection, told: list[str]
) -> None:
    now = datetime.now(UTC)
    decide(warehouse, RUN, Plan(0, 2, now + timedelta(hours=12), None))
    settle(warehouse, now - timedelta(minutes=50))
    assert told == []

    for _ in range(2):
        settle(warehouse, now - timedelta(minutes=70))
    (text,) = told
    assert f"Run again: 0 of 2 times, not once more: {LEFT}" in text
    assert "request: failed: away" in text
    plan = find_plan(warehouse, RUN)
    assert plan is not None
    assert plan.given_up == LEFT
