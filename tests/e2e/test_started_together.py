"""A scheduled run, a backfill and triggers by hand of one period, all at once (F69)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from reporting.core.run import RunId
from tests.e2e import fragile
from tests.e2e.conftest import own_dags
from tests.e2e.live import ENDED, Live, eventually

REPORT, DAY = "together", fragile.DAY.isoformat()


@pytest.fixture
def asked(live: Live) -> Iterator[None]:
    """Let the clock start its run, and hold that at work."""
    file = own_dags(live.home) / f"{REPORT}.py"
    with live.switch(DAY, "wait"):
        file.write_text(Path(fragile.__file__).read_text(encoding="utf-8"), encoding="utf-8")
        eventually("the clock to start a run", lambda: _runs(live))
        yield
    file.unlink()


def _runs(live: Live) -> list[dict[str, Any]]:
    if REPORT not in {dag["dag_id"] for dag in live.api.pages("dags", "dags")}:
        return []
    return list(live.api.pages(f"dags/{REPORT}/dagRuns", "dag_runs"))


@pytest.mark.usefixtures("asked")
def test_f69_one_works_and_the_others_are_pointed_to_it(live: Live) -> None:
    (clock,) = [run["dag_run_id"] for run in _runs(live) if run["run_type"] == "scheduled"]
    live.await_task(REPORT, clock, "compute", "running")
    by_hand = live.trigger(REPORT, period=DAY)
    wanted = live.trigger(REPORT, period=DAY, refresh=True)
    live.api.post(
        "backfills",
        {
            "dag_id": REPORT,
            "from_date": f"{DAY}T00:00:00+00:00",
            "to_date": f"{DAY}T23:59:59+00:00",
            "max_active_runs": 1,
            "reprocess_behavior": "completed",
        },
    )
    for run_id in (by_hand, wanted):
        assert live.ended(REPORT, run_id) == "success"
        assert live.api.xcom(REPORT, run_id, "init", "duplicate_of") == clock
        assert live.keys("staging", RunId(REPORT, run_id).prefix) == []
    assert live.rows("SELECT run_id FROM reporting.claim WHERE report = %s", REPORT) == [(clock,)]
    (live.home / "switches" / DAY).write_text("go")
    # Airflow starts no second run of a moment whose run is under way, so the backfill has none.
    eventually("all to end", lambda: all(run["state"] in ENDED for run in _runs(live)))
    released = live.rows(
        "SELECT run_id, version FROM reporting.release WHERE report = %s ORDER BY version", REPORT
    )
    assert released == [(clock, 1)]
