"""`await_sources` says which source it cannot do without, and why."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from reporting.airflow_edge import await_sources
from reporting.airflow_edge.await_sources import AwaitSourcesOperator
from reporting.errors import ContractError
from tests.specimens import a_report, a_source

GONE = "its fetch succeeded, yet its staged data is gone; clear fetch_orders too"


@pytest.mark.parametrize(("required", "kind"), [(True, "Required source"), (False, "Source")])
@pytest.mark.parametrize("reason", [None, "TransientError: HTTP 500"])
def test_a_lost_source_is_named_with_the_reason(
    required: bool, kind: str, reason: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(await_sources, "failure_of", lambda *_: reason)
    left: dict[str, str] = {}
    ti = SimpleNamespace(
        dag_id="sales", run_id="manual__1", xcom_push=lambda key, value: left.update({key: value})
    )
    report = a_report(sources=[a_source(required=required)])
    context: Any = {"ti": ti}

    with pytest.raises(ContractError) as lost:
        AwaitSourcesOperator(report=report, task_id="await_sources").execute_failed(
            context, {"lost": {"orders": GONE}}
        )

    assert str(lost.value) == f"{kind} orders: {reason or GONE}"
    assert list(left.values()) == [str(lost.value)]
