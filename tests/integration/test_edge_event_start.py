"""What a run that an event has started does, beside other runs of the same report."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest
from airflow.sdk.exceptions import AirflowRescheduleException, AirflowSkipException
from airflow.sdk.execution_time import task_runner

from reporting import UpstreamEvent
from reporting.airflow_edge.event_wait import FIRST_PAUSE, LONGEST_PAUSE, pause_after
from reporting.airflow_edge.steps.init import init
from reporting.core.upstream_event import Happened
from reporting.core.warehouse.answer import find_worker
from reporting.core.warehouse.claim import release_claims
from reporting.core.warehouse.events import taken_events
from reporting.core.warehouse.relation import ensure_relations
from reporting.core.warehouse.runs import register_staging
from reporting.errors import ContractError
from tests.integration.event_airflow import NAME, EventAirflow, noted
from tests.specimens import a_report, a_run, a_table

pytestmark = pytest.mark.integration

Connection = psycopg.Connection[Any]
REPORT = a_report(starts_on=[UpstreamEvent(NAME)])
HOLDER = a_run(run_id="holder")
ASKED = {"id": "7", "period": HOLDER.period.key}
NOW = datetime.now(UTC)
BEFORE, AFTER = NOW - timedelta(hours=1), NOW + timedelta(hours=1)
KEY = Happened(NAME, NOW, ASKED).key


@pytest.fixture
def airflow(warehouse: Connection, monkeypatch: pytest.MonkeyPatch) -> EventAirflow:
    """An Airflow in which a scheduled run works on what the events ask for."""
    known = warehouse.info
    where = {"conn_type": "postgres", "host": known.host, "port": known.port, "login": known.user}
    where |= {"password": known.password, "schema": known.dbname}
    monkeypatch.setenv("AIRFLOW_CONN_REPORT_WAREHOUSE", json.dumps(where))
    found = EventAirflow({"holder": "running"})
    monkeypatch.setattr(task_runner, "SUPERVISOR_COMMS", found, raising=False)
    assert find_worker(warehouse, HOLDER, lambda _: False) is None
    register_staging(warehouse, HOLDER, REPORT.keep_staging)
    return found


def start(airflow: EventAirflow, run_id: str, at: datetime) -> dict[str, Any]:
    """Run `init` of a run that the one event has started."""
    context = airflow.context(REPORT.name, run_id, noted(at, **ASKED), due=at)
    return init(REPORT, context)


def test_an_event_later_than_the_run_at_work_waits_and_gets_a_version_of_its_own(
    airflow: EventAirflow, warehouse: Connection
) -> None:
    with pytest.raises(AirflowRescheduleException) as later:
        start(airflow, "ours", AFTER)
    pause = later.value.reschedule_date - datetime.now(UTC)
    assert timedelta() < pause <= LONGEST_PAUSE
    assert airflow.left == {}
    assert taken_events(warehouse, REPORT.name, [KEY]) == {KEY: "ours"}

    release_claims(warehouse, HOLDER.id)

    assert start(airflow, "ours", AFTER)["period"] == HOLDER.period.key
    assert find_worker(warehouse, HOLDER, lambda _: False) == "ours"


def test_a_table_that_is_kept_otherwise_is_told_before_any_work(
    airflow: EventAirflow, warehouse: Connection
) -> None:
    other = a_table(columns={"id": "text", "name": "text"})
    ensure_relations(warehouse, REPORT.name, other)

    with pytest.raises(ContractError, match="column 'id': kept as text, now declared as int64"):
        start(airflow, "ours", BEFORE)

    assert taken_events(warehouse, REPORT.name, [KEY]) == {}


def test_an_event_that_stands_back_is_lost_with_no_run_that_fails(
    airflow: EventAirflow, warehouse: Connection
) -> None:
    """It is answered by the one ahead; told again after that has failed, it gets a run."""
    with pytest.raises(AirflowSkipException, match="Run holder does the same"):
        start(airflow, "ours", BEFORE)
    airflow.states["ours"] = "success"
    assert airflow.left == {"duplicate_of": "holder"}

    with pytest.raises(AirflowSkipException, match="Run holder answers the event"):
        start(airflow, "doubled", AFTER)
    airflow.states["holder"] = "failed"

    assert start(airflow, "again", AFTER)["run_id"] == "again"
    assert taken_events(warehouse, REPORT.name, [KEY]) == {KEY: "again"}


def test_a_run_that_was_started_for_one_event_waits_as_well(airflow: EventAirflow) -> None:
    own, asked = f"event__{KEY}", {"params": {"period": HOLDER.period.key}}
    with pytest.raises(AirflowRescheduleException):
        init(REPORT, airflow.context(REPORT.name, own, due=AFTER) | asked)
    with pytest.raises(AirflowSkipException, match="Run holder does the same"):
        init(REPORT, airflow.context(REPORT.name, own, due=BEFORE) | asked)


@pytest.mark.parametrize(
    ("state", "started"),
    [("success", ".2"), ("failed", ".2"), ("running", ""), ("queued", "")],
)
def test_an_event_told_again_beside_others_gets_a_run_that_answers(
    airflow: EventAirflow, warehouse: Connection, state: str, started: str
) -> None:
    """The one that was started for it before has stood back, or failed; else it is the one."""
    first = noted(BEFORE, period="2024-03-31")
    again = Happened(NAME, NOW, {"id": "8", "period": "2024-03-30"})
    airflow.states[again.run_id] = state
    given = (first, noted(again.at, **again.told))

    init(REPORT, airflow.context(REPORT.name, "ours", *given, due=NOW))

    answering = f"{again.run_id}{started}"
    assert taken_events(warehouse, REPORT.name, [again.key]) == {again.key: answering}
    assert airflow.states[answering] in ("queued", "running")


@pytest.mark.parametrize(
    ("waited", "pause"),
    [
        (timedelta(seconds=-1), FIRST_PAUSE),
        (timedelta(seconds=5), FIRST_PAUSE),
        (timedelta(minutes=5), timedelta(seconds=30)),
        (timedelta(hours=5), LONGEST_PAUSE),
    ],
)
def test_looks_become_rarer(waited: timedelta, pause: timedelta) -> None:
    assert pause_after(waited) == pause
