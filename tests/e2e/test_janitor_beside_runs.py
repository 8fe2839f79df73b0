"""A run that is cleared while the janitor is busy with another one is none of its business."""

from __future__ import annotations

import time
from datetime import UTC, datetime

from reporting.airflow_edge.failed_runs import SETTLE_AFTER
from reporting.core.airflow_api import run_path
from tests.e2e.live import Live, eventually

LOCK = "hashtextextended('hasty', 0)"
WAITING = "SELECT 1 FROM pg_locks WHERE NOT granted AND locktype = %s"


def test_run_cleared_during_a_sweep_publishes(live: Live) -> None:
    busy, cleared = (_marked_failed(live, day) for day in ("2013-10-10", "2013-10-11"))
    time.sleep(SETTLE_AFTER.total_seconds() + 2)
    with live.database("REPORT_WAREHOUSE") as alarm, live.database("REPORT_WAREHOUSE") as store:
        alarm.autocommit = False
        # A receipt under way elsewhere: the janitor waits with the alarm of the first run.
        alarm.execute(
            "INSERT INTO reporting.receipt (subject, channel, recipient, is_sent, tries) "
            "VALUES (%s, 'email', 'e2e@example.com', true, 1)",
            (f"failed hasty {busy} #0 {_started(live, busy)}",),
        )
        sweep = live.trigger("report_janitor")
        eventually("the janitor to wait", lambda: live.rows(WAITING, "transactionid"))
        store.execute(f"SELECT pg_advisory_lock({LOCK})".encode())
        live.clear("hasty", cleared, "compute")
        eventually("store to be about to publish", lambda: live.rows(WAITING, "advisory"))
        alarm.rollback()
        assert live.ended("report_janitor", sweep) == "success"
        store.execute(f"SELECT pg_advisory_unlock({LOCK})".encode())
    assert live.ended("hasty", cleared) == "success", live.failure("hasty", cleared, "store")
    files = live.rows("SELECT files FROM reporting.release WHERE run_id = %s", cleared)[0][0]
    assert set(files) <= set(live.keys("reports", "hasty/2013-10-11/"))


def _started(live: Live, run_id: str) -> str:
    started = datetime.fromisoformat(live.api.run("hasty", run_id)["start_date"])
    return started.astimezone(UTC).isoformat()


def _marked_failed(live: Live, day: str) -> str:
    with live.switch(day, "wait"):
        run_id = live.trigger("hasty", period=day)
        live.await_task("hasty", run_id, "compute", "running")
        live.api.patch(run_path("hasty", run_id), {"state": "failed"})
        assert live.ended("hasty", run_id) == "failed"
    return run_id
