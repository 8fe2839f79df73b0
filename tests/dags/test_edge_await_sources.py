"""`await_sources` says which source it cannot do without, and why."""

from __future__ import annotations

from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from airflow.sdk.exceptions import TaskDeferralError

from reporting.airflow_edge import await_sources, connections
from reporting.airflow_edge.await_sources import AwaitSourcesOperator
from reporting.errors import ContractError, TransientError
from tests.specimens import a_report, a_source

GONE = "its fetch succeeded, yet its staged data is gone; clear fetch_orders too"


def waiting(left: dict[str, Any], *, required: bool = True) -> tuple[AwaitSourcesOperator, Any]:
    """Return the operator, and the context of a task that leaves its XComs in `left`."""
    ti = SimpleNamespace(
        dag_id="sales",
        run_id="manual__1",
        try_number=2,
        xcom_push=lambda key, value: left.update({key: value}),
    )
    report = a_report(sources=[a_source(required=required)])
    return AwaitSourcesOperator(report=report, task_id="await_sources"), {"ti": ti}


@pytest.mark.parametrize(("required", "kind"), [(True, "Required source"), (False, "Source")])
@pytest.mark.parametrize("reason", [None, "TransientError: HTTP 500"])
def test_a_lost_source_is_named_with_the_reason(
    required: bool, kind: str, reason: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(await_sources, "failure_of", lambda *_: reason)
    left: dict[str, Any] = {}
    operator, context = waiting(left, required=required)

    with pytest.raises(ContractError) as lost:
        operator.resume_execution("execute_failed", {"event": {"lost": {"orders": GONE}}}, context)

    assert str(lost.value) == f"{kind} orders: {reason or GONE}"
    assert left == {
        "failure": f"ContractError: {lost.value}",
        "failure_classes": ["ContractError", "TerminalError", "ReportError"],
    }


@pytest.mark.parametrize(
    ("named", "wait"), [(None, [40.0, 80.0]), (timedelta(seconds=7), [7.0, 7.0])]
)
def test_a_store_that_is_away_is_the_reason_of_a_failed_look(
    named: timedelta | None, wait: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It also says how long Airflow waits before the next try, after the second one here."""

    def away() -> None:
        raise TransientError("the store does not answer", named)

    monkeypatch.setattr(connections, "staging_bucket", away)
    left: dict[str, Any] = {}
    operator, context = waiting(left)

    with pytest.raises(TransientError):
        operator.execute(context)

    assert left["failure"] == "TransientError: the store does not answer"
    assert left["retry_wait"] == wait
    assert "TransientError" in left["failure_classes"]


def test_a_trigger_that_has_died_is_a_reason() -> None:
    left: dict[str, Any] = {}
    operator, context = waiting(left)

    with pytest.raises(TaskDeferralError):
        operator.resume_execution("__fail__", {"error": "Trigger failure"}, context)

    assert left["failure"] == "TaskDeferralError: Trigger failure"
    assert "TransientError" in left["failure_classes"]
