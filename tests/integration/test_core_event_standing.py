"""How far an event has come, as an API server of the test's own tells it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from reporting.core.airflow_api import AirflowApi
from reporting.core.event_standing import Standing, standing_of
from reporting.core.upstream_event import Happened
from reporting.errors import TransientError
from tests.integration.scripted_service import Reply, Request, serving

pytestmark = pytest.mark.integration

AT = datetime(2024, 5, 2, 10, tzinfo=UTC)
EVENT = Happened("orders_loaded", AT, {"id": "7"})


class Airflow:
    """What the server says."""

    def __init__(self) -> None:
        self.asset = {"id": 3, "name": "orders_loaded", "scheduled_dags": [{"dag_id": "sales"}]}
        self.events: list[dict[str, Any]] = []
        self.paused: dict[str, bool] = {"sales": False}
        self.runs: dict[str, datetime] = {}
        self.is_broken = False

    def note(self, name: str, *dags: str) -> None:
        told = {"from_trigger": True, "payload": {"id": name}}
        self.events.append({"extra": told, "created_dagruns": [{"dag_id": dag} for dag in dags]})

    def answer(self, request: Request) -> Reply:
        path = request.path.removeprefix("/api/v2/")
        if path == "/auth/token":
            return said({"access_token": "t"})
        if path == "assets":
            return said({"assets": [{**self.asset, "name": "ordersXloaded"}, self.asset]}, 2)
        if path == "assets/events":
            assert request.query["asset_id"] == "3"
            return said({"asset_events": self.events}, len(self.events), is_broken=self.is_broken)
        if path.endswith("/dagRuns"):
            wanted, since = request.query["run_id_prefix_pattern"], request.query["run_after_gte"]
            due = datetime.fromisoformat(since)
            runs = [r for r, at in self.runs.items() if r.startswith(wanted) and at >= due]
            return said({"dag_runs": [{"dag_run_id": run} for run in runs]}, len(runs))
        dag = path.removeprefix("dags/")
        if dag not in self.paused:
            return Reply(b"{}", status=404)
        return said({"is_paused": self.paused[dag], "is_stale": False})


def said(body: dict[str, Any], total: int = 0, *, is_broken: bool = False) -> Reply:
    status = 500 if is_broken else 200
    return Reply(json.dumps({**body, "total_entries": total}).encode(), status=status)


@pytest.fixture
def airflow() -> Airflow:
    return Airflow()


@pytest.fixture
def api(airflow: Airflow) -> Iterator[AirflowApi]:
    with serving(airflow.answer) as service:
        yield AirflowApi(service.url, "admin", "secret")


def standing(api: AirflowApi) -> Standing:
    return standing_of(api, EVENT, AT - timedelta(days=1))


def test_an_event_that_is_not_noted_is_absent(airflow: Airflow, api: AirflowApi) -> None:
    airflow.note("another", "sales")
    assert standing(api) is Standing.ABSENT


def test_an_event_is_started_when_each_report_has_its_run(
    airflow: Airflow, api: AirflowApi
) -> None:
    airflow.asset["scheduled_dags"] = [{"dag_id": "sales"}, {"dag_id": "returns"}]
    airflow.paused["returns"] = False
    airflow.note("7", "sales")
    assert standing(api) is Standing.NOTED

    airflow.runs[EVENT.run_id] = AT - timedelta(days=2)  # when it was told before
    assert standing(api) is Standing.NOTED

    airflow.runs[f"{EVENT.run_id}.2"] = AT  # started by a run that had found it
    assert standing(api) is Standing.STARTED


def test_told_twice_it_is_started_by_either(airflow: Airflow, api: AirflowApi) -> None:
    airflow.note("7")
    airflow.note("7", "sales")
    assert standing(api) is Standing.STARTED


def test_reports_that_are_paused_or_gone_are_not_waited_for(
    airflow: Airflow, api: AirflowApi
) -> None:
    airflow.asset["scheduled_dags"] = [{"dag_id": name} for name in ("sales", "gone", "returns")]
    airflow.paused["returns"] = True
    airflow.note("7", "sales")
    assert standing(api) is Standing.STARTED


def test_when_all_are_paused_it_waits(airflow: Airflow, api: AirflowApi) -> None:
    airflow.paused["sales"] = True
    airflow.note("7")
    assert standing(api) is Standing.ASLEEP


def test_an_asset_that_airflow_has_not_read_yet_is_waited_for(
    airflow: Airflow, api: AirflowApi
) -> None:
    airflow.asset["name"] = "another"
    with pytest.raises(TransientError, match="knows no asset 'orders_loaded'"):
        standing(api)


def test_an_api_that_fails_is_waited_for(airflow: Airflow, api: AirflowApi) -> None:
    """As Airflow's does while a run of the event waits for a slot."""
    airflow.is_broken = True
    with pytest.raises(TransientError, match="500"):
        standing(api)
