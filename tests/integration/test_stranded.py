"""Runs of reports whose file is gone are ended one by one, whatever is wrong with one of them."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from reporting.airflow_edge.stranded import end_stranded_runs
from reporting.errors import TransientError
from tests.airflow_home import use_own_home
from tests.integration.failed_runs import connection
from tests.integration.scripted_service import Reply, Request, serving

pytestmark = pytest.mark.integration

LONG_AGO = (datetime.now(UTC) - timedelta(days=2)).isoformat()
GONE, RUNS = "no_version", {"no_version": ["a"], "sales": ["b", "deleted", "c"], "idle": []}


def answer(request: Request) -> Reply:
    """Answer as Airflow does: 404 for a DAG without a version, and for a run that was deleted."""
    path = request.path.removeprefix("/api/v2/")
    if path in (f"dags/{GONE}/details", "dags/sales/dagRuns/deleted"):
        return Reply(b'{"detail": "not found"}', status=404)
    return Reply(json.dumps(_told(path)).encode())


def _told(path: str) -> dict[str, Any]:
    if path == "/auth/token":
        return {"access_token": "t"}
    if path == "dags":
        dags = [{"dag_id": name, "is_stale": True} for name in RUNS]
        return {"dags": dags, "total_entries": len(dags)}
    if path.endswith("/details"):
        return {"dag_run_timeout": "PT1H", "last_parsed_time": LONG_AGO}
    if path.endswith("/dagRuns"):
        begun = {"start_date": LONG_AGO, "run_after": LONG_AGO}
        runs = [{"dag_run_id": run, **begun} for run in RUNS[path.split("/")[1]]]
        return {"dag_runs": runs, "total_entries": len(runs)}
    return {"state": "running"}


def test_one_that_cannot_be_looked_at_keeps_no_other_from_being_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    use_own_home()
    with serving(answer) as service:
        monkeypatch.setenv("AIRFLOW_CONN_AIRFLOW_API", connection("http", service.url))
        with pytest.raises(TransientError) as fault:
            end_stranded_runs()

        asked = [(one.method, one.path.removeprefix("/api/v2/")) for one in service.requests]
    ended = [path for method, path in asked if method == "PATCH"]
    assert ended == ["dags/sales/dagRuns/b", "dags/sales/dagRuns/c"]
    assert ("GET", "dags/idle/details") not in asked
    assert "report no_version: NotFoundError" in str(fault.value)
    assert "sales deleted: NotFoundError" in str(fault.value)
