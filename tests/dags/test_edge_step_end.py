"""Whatever becomes of metrics and notices, a step ends as it would without them (R9)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from threading import Event
from time import monotonic
from types import SimpleNamespace
from typing import Any

import pytest
from airflow.sdk.exceptions import (
    AirflowRescheduleException,
    AirflowSkipException,
    AirflowTaskTimeout,
    TaskDeferred,
)

from reporting import NoticeBySlack
from reporting.airflow_edge import step_end
from reporting.airflow_edge.step_end import end_told
from reporting.core.step_end import Metric
from tests.specimens import a_report

GENEROUS = 5.0
REPORT = a_report(notices=[NoticeBySlack("good"), NoticeBySlack("bad")])
RELEASE = {"version": 2, "period": "2024-05-01", "rows": {"totals": 3}}


def context_of(task: str) -> Any:
    now = datetime.now(UTC)
    ti = SimpleNamespace(task_id=task, try_number=2, start_date=now)
    return {"ti": ti, "dag_run": SimpleNamespace(run_id="run", start_date=now, run_after=now)}


@pytest.fixture
def emitted(monkeypatch: pytest.MonkeyPatch) -> list[Metric]:
    found: list[Metric] = []
    monkeypatch.setattr(step_end, "emit", found.append)
    return found


@pytest.fixture
def posted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    found: list[str] = []
    monkeypatch.setattr(step_end, "_post", lambda conn_id, _: found.append(conn_id))
    return found


def end(task: str, result: Any = None) -> None:
    with end_told(REPORT, context_of(task)) as ending:
        ending.result = result or {}


def outcomes(emitted: list[Metric]) -> set[str]:
    return {metric.tags["outcome"] for metric in emitted}


def test_the_step_that_publishes_tells_all_channels(
    emitted: list[Metric], posted: list[str]
) -> None:
    end("store", RELEASE)
    assert sorted(posted) == ["bad", "good"]
    assert outcomes(emitted) == {"success"}
    assert {metric.name for metric in emitted} >= {"reporting.step.rows", "reporting.step.duration"}


def test_other_steps_tell_metrics_only(emitted: list[Metric], posted: list[str]) -> None:
    end("compute", {"rows": 3})
    assert posted == []
    assert outcomes(emitted) == {"success"}


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (ValueError("x"), {"failed"}),
        (AirflowTaskTimeout("x"), {"failed"}),
        (AirflowSkipException("x"), {"skipped"}),
        (TaskDeferred(trigger=None, method_name="resume"), set()),
        (AirflowRescheduleException(datetime.now(UTC)), set()),  # type: ignore[no-untyped-call]
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_a_step_raises_passes(
    emitted: list[Metric], error: BaseException, outcome: set[str]
) -> None:
    def fail() -> None:
        with end_told(REPORT, context_of("store")):
            raise error

    with pytest.raises(type(error)) as raised:
        fail()
    assert raised.value is error
    assert outcomes(emitted) == outcome


@pytest.fixture
def hanging(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The channel `bad` hangs."""
    found: list[str] = []
    goes_on = Event()

    def post(conn_id: str, _: str) -> None:
        if conn_id == "bad":
            goes_on.wait(30)
        found.append(conn_id)

    monkeypatch.setattr(step_end, "_post", post)
    yield found
    goes_on.set()


def test_a_chat_that_hangs_costs_a_second_and_is_counted(
    emitted: list[Metric], hanging: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    before = monotonic()
    end("store", RELEASE)

    assert monotonic() - before < GENEROUS
    assert hanging == ["good"]
    (dropped,) = [metric for metric in emitted if metric.name == "reporting.notices.dropped"]
    assert (dropped.value, dropped.tags["reason"]) == (1, "late")
    assert "Notices: 1 sent, 1 dropped (1 late). Metrics: 5 sent, 0 dropped." in caplog.text


def test_a_fault_of_the_telling_itself_is_not_the_steps(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: Any) -> None:
        raise RuntimeError("telling is broken")

    monkeypatch.setattr(step_end, "_step_end", fail)
    end("store", RELEASE)
    assert "telling is broken" in caplog.text


@pytest.mark.usefixtures("emitted")
def test_a_time_limit_that_strikes_while_telling_is_the_steps(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def strike(*_: Any) -> None:
        raise AirflowTaskTimeout("Timeout")

    monkeypatch.setattr(step_end, "_notices", strike)
    with pytest.raises(AirflowTaskTimeout):
        end("store", RELEASE)


def test_metrics_reach_airflows_own(monkeypatch: pytest.MonkeyPatch) -> None:
    from airflow.sdk.observability import stats

    calls: list[tuple[str, str, float]] = []
    for kind in ("timing", "incr", "gauge"):
        monkeypatch.setattr(
            stats,
            kind,
            lambda name, value, *, tags, kind=kind: calls.append((kind, name, value)),  # noqa: ARG005
        )
    end("fetch_orders", {"rows": 3, "bytes": 40})
    assert [(kind, name) for kind, name, _ in calls] == [
        ("timing", "reporting.step.duration"),
        ("incr", "reporting.step.ended"),
        ("gauge", "reporting.step.tries"),
        ("incr", "reporting.step.rows"),
        ("incr", "reporting.step.bytes"),
    ]
