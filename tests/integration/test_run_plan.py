"""Whether a failed run is left to the janitor or told at once, and by whom (R14)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest

from reporting import RunRetry
from reporting.airflow_edge.alarm import about
from reporting.airflow_edge.run_plan import EndedRun, plan_left, plan_made
from reporting.core.airflow_names import FAILURE_CLASSES
from reporting.core.run import RunId
from reporting.core.run_retry import JANITOR_AWAY, OUT_OF_TIME, PUBLISHED, TOLD, Plan, Policy
from reporting.core.warehouse.receipts import Message, send_once
from reporting.core.warehouse.reports import remember_report
from reporting.core.warehouse.run_retries import find_plan, note_sweep
from tests.specimens import a_report

pytestmark = pytest.mark.integration

Connection = psycopg.Connection[Any]
NOW = datetime(2024, 5, 2, 6, tzinfo=UTC)
RUN = RunId("sales", "manual__1", 0, "2024-05-02T05:00:00+00:00")
POLICY = Policy(2, timedelta(minutes=30), "TransientError")
LOST = {"init": "success", "fetch_a": "failed", "await_sources": "failed", "compensate": "success"}


@dataclass
class Ti:
    """A task that hears what others have left."""

    left: Mapping[tuple[str, str], Any] = field(default_factory=dict)

    def xcom_pull(self, *, task_ids: str, key: str = "return_value", **_: Any) -> Any:
        return self.left.get((task_ids, key))


TRANSIENT: Any = {"ti": Ti({("fetch_a", FAILURE_CLASSES): ["TransientError", "ReportError"]})}
KILLED: Any = {"ti": Ti()}


def ended(states: Mapping[str, str | None] = LOST, against: str | None = None) -> EndedRun:
    return EndedRun(RUN, states, NOW, against)


@pytest.fixture
def at_work(warehouse: Connection) -> Connection:
    """Return a warehouse whose janitor works and knows a report that is run again."""
    note_sweep(warehouse)
    remember_report(warehouse, a_report(retry_run=RunRetry(2)))
    return warehouse


def test_a_failure_that_may_pass_is_left_to_the_janitor(at_work: Connection) -> None:
    plan = plan_made(at_work, TRANSIENT, POLICY, ended())

    assert plan == Plan(0, 2, NOW + timedelta(minutes=30), None)
    assert plan_left(at_work, KILLED, ended()) == plan


def test_without_a_janitor_at_work_it_is_told_at_once(warehouse: Connection) -> None:
    assert plan_made(warehouse, TRANSIENT, POLICY, ended()).given_up == JANITOR_AWAY
    note_sweep(warehouse)
    found = find_plan(warehouse, RUN)
    assert found is not None
    assert found.given_up == JANITOR_AWAY


def test_the_janitor_decides_where_compensate_was_killed(at_work: Connection) -> None:
    plan = plan_left(at_work, TRANSIENT, ended({**LOST, "compensate": "failed"}))

    assert plan is not None
    assert plan.given_up is None


def test_the_janitor_that_decides_is_at_work_whenever_it_was_last(at_work: Connection) -> None:
    """A sweep is noted at its end, so the first one after a pause finds none within the hour."""
    at_work.execute("DELETE FROM reporting.sweep")

    plan = plan_left(at_work, TRANSIENT, ended())
    assert plan is not None
    assert plan.given_up is None


@pytest.mark.parametrize(
    ("context", "run", "why"),
    [
        (KILLED, ended(), "fetch_a failed with no error of its own"),
        (TRANSIENT, ended({**LOST, "compensate": "skipped"}), OUT_OF_TIME),
        (TRANSIENT, ended({"fetch_a": "failed", "compute": "skipped"}), OUT_OF_TIME),
        (TRANSIENT, ended(against=PUBLISHED), PUBLISHED),
    ],
)
def test_the_janitor_runs_nothing_again_that_it_must_not(
    at_work: Connection, context: Any, run: EndedRun, why: str
) -> None:
    plan = plan_left(at_work, context, run)

    assert plan is not None
    assert plan.given_up == why


def test_what_was_told_before_is_not_run_again(at_work: Connection) -> None:
    send_once(at_work, Message(about(RUN), "email", "a@b.c", lambda: None))

    plan = plan_left(at_work, TRANSIENT, ended())
    assert plan is not None
    assert plan.given_up == TOLD


def test_a_report_without_a_policy_has_no_plan(warehouse: Connection) -> None:
    remember_report(warehouse, a_report())

    assert plan_left(warehouse, TRANSIENT, ended()) is None
    assert find_plan(warehouse, RUN) is None
