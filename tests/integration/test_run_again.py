"""The janitor runs a failed run again over Airflow's API, once, or has it told (R14)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from threading import Barrier, Event, Thread
from typing import Any

import psycopg
import pytest

from reporting.airflow_edge import marks
from reporting.airflow_edge.marks import find_who_ended, who_ended
from reporting.airflow_edge.run_again import NOTE, is_run_again
from reporting.core.airflow_api import AirflowApi
from reporting.core.run import RunId
from reporting.core.run_retry import BY_HAND, TOO_LATE, Plan
from reporting.core.warehouse.run_retries import decide, find_plan
from reporting.errors import TransientError
from tests.integration.scripted_service import Reply, Request, serving

pytestmark = pytest.mark.integration

Connection = psycopg.Connection[Any]
RUN = RunId("sales", "manual__1", 0, "2024-05-02T05:00:00+00:00")


@dataclass
class Airflow:
    """As much of Airflow's API as the janitor asks.

    Attributes:
        clears: what was asked when the run was cleared.
        marks: what its audit log holds.
        note: of the run.
        refuses: status of what a clear is answered with.
        is_paused: whether the report is switched off.
    """

    clears: list[dict[str, Any]] = field(default_factory=list)
    marks: list[dict[str, Any]] = field(default_factory=list)
    note: str | None = None
    refuses: int = 200
    is_paused: bool = False
    cleared: Event = field(default_factory=Event)

    def answer(self, request: Request) -> Reply:
        if request.path.endswith("/clear"):
            return self._clear(request)
        return Reply(json.dumps(self._told(request.path)).encode())

    def is_still_failed(self) -> bool:
        return not self.cleared.is_set()

    def _clear(self, request: Request) -> Reply:
        self.clears.append(json.loads(request.body))
        if self.refuses == 200:
            self.cleared.set()
        return Reply(b"{}", status=self.refuses)

    def _told(self, path: str) -> dict[str, Any]:
        if path.endswith("/token"):
            return {"access_token": "t"}
        if path.endswith("/eventLogs"):
            return {"event_logs": self.marks, "total_entries": len(self.marks)}
        if path.endswith("/dagRuns/manual__1"):
            return {"note": self.note}
        return {"is_paused": self.is_paused, "is_stale": False}


@pytest.fixture
def airflow() -> Airflow:
    return Airflow()


@pytest.fixture
def api(airflow: Airflow) -> Iterator[AirflowApi]:
    with serving(airflow.answer) as service:
        yield AirflowApi(service.url, "janitor", "janitor")


def planned(warehouse: Connection, due_in: timedelta = timedelta(0), goes: int = 0) -> None:
    decide(warehouse, RUN, Plan(goes, 2, datetime.now(UTC) + due_in, None))


def given_up(warehouse: Connection) -> str | None:
    plan = find_plan(warehouse, RUN)
    return None if plan is None else plan.given_up


def test_a_run_that_is_due_is_cleared_as_a_whole(
    warehouse: Connection, airflow: Airflow, api: AirflowApi
) -> None:
    planned(warehouse)

    assert is_run_again(warehouse, api, RUN, airflow.is_still_failed)
    note = f"{NOTE}1 of 2 times."
    assert airflow.clears == [{"dry_run": False, "only_failed": False, "note": note}]


def test_before_its_time_it_waits(warehouse: Connection, airflow: Airflow, api: AirflowApi) -> None:
    planned(warehouse, timedelta(minutes=5))

    assert is_run_again(warehouse, api, RUN, airflow.is_still_failed)
    assert airflow.clears == []


def test_two_janitors_at_once_clear_once(
    database: str, warehouse: Connection, airflow: Airflow, api: AirflowApi
) -> None:
    planned(warehouse)
    barrier, said = Barrier(2), []

    def sweep() -> None:
        own = AirflowApi(api.base_url, api.user, api.password)
        with psycopg.connect(database, autocommit=True) as connection:
            barrier.wait()
            said.append(is_run_again(connection, own, RUN, airflow.is_still_failed))

    janitors = [Thread(target=sweep) for _ in range(2)]
    for janitor in janitors:
        janitor.start()
    for janitor in janitors:
        janitor.join()
    assert said == [True, True]
    assert len(airflow.clears) == 1


def test_a_run_that_a_person_has_cleared_is_left_alone(
    warehouse: Connection, airflow: Airflow, api: AirflowApi
) -> None:
    planned(warehouse)
    airflow.cleared.set()

    assert is_run_again(warehouse, api, RUN, airflow.is_still_failed)
    assert airflow.clears == []


def test_the_note_of_a_person_stays(
    warehouse: Connection, airflow: Airflow, api: AirflowApi
) -> None:
    planned(warehouse, goes=1)
    airflow.note = "ask Ann first"

    is_run_again(warehouse, api, RUN, airflow.is_still_failed)
    assert airflow.clears[0]["note"] == "ask Ann first"


MARKED: list[dict[str, Any]] = [
    {"run_id": "manual__1", "dag_id": "sales", "extra": '{"state": "failed", "method": "PATCH"}'},
    {"run_id": "manual__1", "dag_id": "sales", "extra": '{"new_state": "failed"}'},
    {"run_id": None, "dag_id": "~", "extra": '{"actions": [{"entities": [{"dag_run_id": '
     '"manual__1", "dag_id": "sales", "state": "failed"}]}]}'},
]  # fmt: skip
OTHERS: list[dict[str, Any]] = [
    {"run_id": "manual__1", "dag_id": "sales", "extra": '{"note": "seen", "method": "PATCH"}'},
    {"run_id": "manual__2", "dag_id": "sales", "extra": '{"state": "failed"}'},
    {"run_id": "manual__1", "dag_id": "stock", "extra": '{"state": "failed"}'},
    {"run_id": "manual__1", "dag_id": "sales", "extra": None},
]


@pytest.mark.parametrize("mark", MARKED)
def test_a_run_that_a_person_has_marked_is_told(
    warehouse: Connection, airflow: Airflow, api: AirflowApi, mark: dict[str, Any]
) -> None:
    planned(warehouse)
    airflow.marks = [*OTHERS, mark]

    assert not is_run_again(warehouse, api, RUN, airflow.is_still_failed)
    assert airflow.clears == []
    assert given_up(warehouse) == BY_HAND


@pytest.mark.parametrize("mark", OTHERS)
def test_other_entries_of_the_audit_log_do_not_count(
    warehouse: Connection, airflow: Airflow, api: AirflowApi, mark: dict[str, Any]
) -> None:
    planned(warehouse)
    airflow.marks = [mark]

    assert is_run_again(warehouse, api, RUN, airflow.is_still_failed)
    assert len(airflow.clears) == 1


def by(owner: str, *, state: str = "failed", task: str | None = None, when: int = 1) -> Any:
    about = {"run_id": "manual__1", "dag_id": "sales", "task_id": task, "owner": owner}
    return {**about, "when": f"2024-05-02T0{when}:00:00Z", "extra": f'{{"new_state": "{state}"}}'}


@pytest.mark.parametrize(
    ("noted", "who"),
    [
        ([], None),
        (OTHERS, None),
        ([by("ann")], "ann"),
        ([by("ann", task="compute")], "ann"),
        ([by("bob", when=2), by("ann", when=1)], "bob"),
        # what did not end this step
        ([by("ann", task="fetch_a")], None),
        ([by("ann", state="success", task="compute")], None),
    ],
)
def test_the_audit_log_tells_who_has_ended_a_run(
    airflow: Airflow, api: AirflowApi, noted: list[dict[str, Any]], who: str | None
) -> None:
    airflow.marks = noted
    assert who_ended(api, RUN, "compute") == who


def test_an_alert_does_without_the_name_when_airflow_does_not_tell(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def away() -> AirflowApi:
        raise TransientError("no answer")

    monkeypatch.setattr(marks, "airflow_api", away)
    assert find_who_ended(RUN, "compute") is None


def test_a_refused_clear_is_tried_again_for_an_hour_then_told(
    warehouse: Connection, airflow: Airflow, api: AirflowApi
) -> None:
    planned(warehouse)
    airflow.refuses = 503
    with pytest.raises(TransientError):
        is_run_again(warehouse, api, RUN, airflow.is_still_failed)
    with pytest.raises(TransientError):
        is_run_again(warehouse, api, RUN, airflow.is_still_failed)
    assert len(airflow.clears) == 2
    assert given_up(warehouse) is None

    warehouse.execute("UPDATE reporting.run_retry SET due_at = due_at - interval '2 hours'")
    assert not is_run_again(warehouse, api, RUN, airflow.is_still_failed)
    assert given_up(warehouse) == TOO_LATE
    assert len(airflow.clears) == 2


def test_a_report_that_is_switched_off_is_waited_for(
    warehouse: Connection, airflow: Airflow, api: AirflowApi
) -> None:
    planned(warehouse)
    airflow.is_paused = True
    assert is_run_again(warehouse, api, RUN, airflow.is_still_failed)
    assert airflow.clears == []

    airflow.is_paused = False
    assert is_run_again(warehouse, api, RUN, airflow.is_still_failed)
    assert len(airflow.clears) == 1


def test_without_a_plan_a_failure_is_told(
    warehouse: Connection, airflow: Airflow, api: AirflowApi
) -> None:
    assert not is_run_again(warehouse, api, RUN, airflow.is_still_failed)
