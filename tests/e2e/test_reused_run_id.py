"""A run id is used again after its run was deleted, as a repeated backfill does: a new run."""

from __future__ import annotations

from reporting.core.airflow_api import run_path
from tests.e2e.live import Live

FLOWN = "SELECT count(*) FROM results.hasty__flown WHERE period = %s"


def test_second_run_of_an_id_publishes_its_own_figures(live: Live) -> None:
    _trigger(live, "twice", "2013-10-01")
    assert live.ended("hasty", "twice") == "success"
    live.api.delete(run_path("hasty", "twice"))

    _trigger(live, "twice", "2013-10-02")
    assert live.ended("hasty", "twice") == "success"
    assert live.rows(FLOWN, "2013-10-02")[0][0] > 0
    periods = live.rows(
        "SELECT period FROM reporting.release WHERE run_id = 'twice' ORDER BY release_id"
    )
    assert periods == [("2013-10-01",), ("2013-10-02",)]
    assert live.rows("SELECT 1 FROM reporting.claim WHERE run_id = 'twice'") == []


def test_second_run_of_an_id_is_told_of(live: Live) -> None:
    for count in (1, 2):
        with live.switch("2013-10-03", "fail"):
            _trigger(live, "again", "2013-10-03")
            assert live.ended("hasty", "again") == "failed"
        assert len(live.mails("Run: again")) == len(live.slacks("Run: again")) == count
        live.api.delete(run_path("hasty", "again"))


def _trigger(live: Live, run_id: str, period: str) -> None:
    body = {"logical_date": None, "dag_run_id": run_id, "conf": {"period": period}}
    live.api.post("dags/hasty/dagRuns", body)
