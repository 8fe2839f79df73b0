"""Once published, figures stay: a failure after the commit undoes nothing and says so."""

from __future__ import annotations

import os
import signal
from datetime import UTC, datetime

from reporting.core.airflow_api import run_path
from tests.e2e.live import Live, eventually

WAITING = "SELECT 1 FROM pg_locks WHERE NOT granted AND locktype = 'advisory'"
RELEASES = "SELECT version, is_default FROM reporting.release WHERE run_id = %s ORDER BY version"


def test_store_killed_after_its_commit(live: Live) -> None:
    """The task has failed, the figures are out: no compensation, and the alert says it."""
    with live.database("REPORT_WAREHOUSE") as blocker:
        blocker.execute("SELECT pg_advisory_lock(hashtextextended('hasty', 0))")
        run_id = live.trigger("hasty", period="2013-08-01")
        eventually("store to wait for the lock", lambda: live.rows(WAITING))
        _publish_in_its_name(live, run_id)
        os.kill(live.task("hasty", run_id, "store")["pid"], signal.SIGKILL)
        assert live.ended("hasty", run_id) == "failed"
    assert live.rows("SELECT 1 FROM reporting.compensation WHERE run_id = %s", run_id) == []
    for told in (live.mails(run_id), live.slacks(run_id)):
        assert len(told) == 1
        assert "published" in told[0]
        assert "stay" in told[0]


def test_result_of_older_input_is_not_published(live: Live) -> None:
    """A fetch cleared alone, then store alone: the computed tables are not of that input."""
    run_id = live.run("hasty", period="2013-08-02")
    with live.operations_owner() as operations:
        operations.execute(
            "UPDATE flights SET carrier = 'ZZ' WHERE time_hour = '2013-08-02T12:00Z' "
            "AND flight = (SELECT min(flight) FROM flights WHERE time_hour = '2013-08-02T12:00Z')"
        )
    live.clear("hasty", run_id, "fetch_flights", include_downstream=False)
    assert live.ended("hasty", run_id) == "success"
    live.clear("hasty", run_id, "store")
    assert live.ended("hasty", run_id) == "failed"
    assert "clear compute with its downstream" in live.failure("hasty", run_id, "store")
    live.clear("hasty", run_id, "compute")
    assert live.ended("hasty", run_id) == "success"
    assert len(live.rows(RELEASES, run_id)) == 2


def _publish_in_its_name(live: Live, run_id: str) -> None:
    """Do what the killed task would have done: its release is in the warehouse."""
    run = live.api.get(run_path("hasty", run_id))
    started = datetime.fromisoformat(run["start_date"]).astimezone(UTC).isoformat()
    live.warehouse.execute(
        "INSERT INTO reporting.release (report, period, request_key, version, params, is_default,"
        " run_id, clear_number, started, fingerprint, row_counts, sources, missing, files) "
        "SELECT 'hasty', '2013-08-01', request_key, 1, '{}', true, run_id, 0, %s, '', '{}', '{}',"
        " '{}', '[]' FROM reporting.claim WHERE run_id = %s",
        (started, run_id),
    )
    key = ("hasty", run_id)
    live.warehouse.execute("DELETE FROM reporting.claim WHERE report = %s AND run_id = %s", key)
    live.warehouse.execute(
        "UPDATE reporting.staged_run SET keep_until = now() WHERE report = %s AND run_id = %s", key
    )
