"""Steps cleared without `init`: what they take and stage is given up and removed all the same."""

from __future__ import annotations

from reporting.core.run import RunId
from tests.e2e.live import Live

CLAIM = "SELECT run_id FROM reporting.claim WHERE report = 'hasty' AND run_id = %s"


def test_fetch_cleared_alone_leaves_no_claim(live: Live) -> None:
    """No task after it gives the claim up, and the run ends green."""
    first = live.run("hasty", period="2013-10-05")
    live.clear("hasty", first, "fetch_flights", include_downstream=False)
    assert live.ended("hasty", first) == "success"
    live.janitor()
    assert live.rows(CLAIM, first) == []


def test_run_that_ended_does_not_stop_a_cleared_one(live: Live) -> None:
    """The step says to wait until the holder has ended; this one has."""
    first, second = (live.run("hasty", period="2013-10-06", refresh=True) for _ in range(2))
    live.clear("hasty", second, "fetch_flights", include_downstream=False)
    assert live.ended("hasty", second) == "success"
    live.clear("hasty", first, "compute")
    assert live.ended("hasty", first) == "success", live.failure("hasty", first, "compute")


def test_data_staged_again_is_removed_again(live: Live) -> None:
    """The note of what is staged went with the data; the cleared fetches stage new data."""
    run_id = live.run("hasty", period="2013-10-07")
    _expire(live, run_id)
    assert live.keys("staging", RunId("hasty", run_id).prefix) == []
    live.clear("hasty", run_id, "fetch_flights", task_ids=["fetch_flights", "fetch_airlines"])
    assert live.ended("hasty", run_id) == "success"
    _expire(live, run_id)
    assert live.keys("staging", RunId("hasty", run_id).prefix) == []


def test_optional_source_whose_data_expired_is_not_left_out(live: Live) -> None:
    """F13: a complete release must not give way to one without a source that never failed."""
    run_id = live.run("airline_on_time", period="2013-10-08")
    _expire(live, run_id)
    live.clear(
        "airline_on_time", run_id, "fetch_flights", task_ids=["fetch_flights", "fetch_airlines"]
    )
    live.ended("airline_on_time", run_id)
    missing = live.rows("SELECT missing FROM reporting.release WHERE run_id = %s", run_id)
    assert missing == [({},)]
    assert "fetch_weather" in live.failure("airline_on_time", run_id, "await_sources")


def _expire(live: Live, run_id: str) -> None:
    """Let the time of the run's staged data pass, and the janitor see it."""
    live.warehouse.execute(
        "UPDATE reporting.staged_run SET keep_until = now() WHERE run_id = %s", (run_id,)
    )
    live.janitor()
