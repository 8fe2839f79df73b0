"""Waiting for sources holds no worker slot."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tests.e2e.live import Live

POOL = "default_pool"


def test_waiting_is_deferred_and_ends_without_a_worker(live: Live) -> None:
    run_id = live.trigger("patient", period="2013-06-12", pause=8)
    waiting = live.await_task("patient", run_id, "await_sources", "deferred", "success")
    assert waiting["state"] == "deferred"
    assert live.ended("patient", run_id) == "success"
    assert live.task("patient", run_id, "await_sources")["try_number"] == 1


def test_f15_four_runs_in_two_slots_all_end(live: Live) -> None:
    """Each waits for a source that takes its time and needs a slot of the same pool."""
    days = [f"2013-06-{day:02d}" for day in range(1, 5)]
    with slots(live, 2):
        runs = [live.trigger("patient", period=day, pause=3) for day in days]
        assert {live.ended("patient", run) for run in runs} == {"success"}
    released = live.rows(
        "SELECT count(*), count(DISTINCT period) FROM reporting.release "
        "WHERE report = 'patient' AND period BETWEEN '2013-06-01' AND '2013-06-04'"
    )
    assert released == [(4, 4)]


@contextmanager
def slots(live: Live, count: int) -> Iterator[None]:
    """Let only so many tasks of all reports work at once."""
    before = live.api.get(f"pools/{POOL}")["slots"]
    live.api.patch(f"pools/{POOL}?update_mask=slots", {"slots": count})
    try:
        yield
    finally:
        live.api.patch(f"pools/{POOL}?update_mask=slots", {"slots": before})


def test_a_lost_source_is_found_while_another_still_comes(live: Live) -> None:
    """The run fails naming the source, without waiting for the slow one."""
    live.s3.copy_object(
        Bucket="landing", Key="reference/kept.csv", CopySource="landing/reference/airlines.csv"
    )
    live.s3.delete_object(Bucket="landing", Key="reference/airlines.csv")
    try:
        run_id = live.trigger("hasty", period="2013-06-11", pause=15)
        live.await_task("hasty", run_id, "await_sources", "failed")
        assert live.task("hasty", run_id, "fetch_flights")["state"] == "running"
    finally:
        live.s3.copy_object(
            Bucket="landing", Key="reference/airlines.csv", CopySource="landing/reference/kept.csv"
        )
    assert live.ended("hasty", run_id) == "failed"
    reason = live.failure("hasty", run_id, "await_sources")
    assert "airlines" in reason
    assert "does not exist" in reason
