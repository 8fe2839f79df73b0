"""A step fails for good: the run is red, undone, told once per channel, and can go on."""

from __future__ import annotations

from reporting.core.airflow_api import run_path
from reporting.core.run import RunId
from tests.e2e.live import Live, eventually

LEDGER = (
    "SELECT step FROM reporting.compensation WHERE run_id = %s AND clear_number = %s AND is_done "
    "ORDER BY undone_at"
)


def test_failed_compute_is_compensated_told_and_rerun(live: Live) -> None:
    """F11: the clean-up leaf must not turn the failed run green."""
    with live.switch("2013-02-01", "fail"):
        run_id = live.trigger("hasty", period="2013-02-01")
        assert live.ended("hasty", run_id) == "failed"
    assert live.states("hasty", run_id)["compensate"] == "success"
    assert [step for (step,) in live.rows(LEDGER, run_id, 0)] == [
        "store",
        "request",
        "fetch",
        "init",
        "compensate",
    ]
    assert live.rows("SELECT 1 FROM reporting.claim WHERE run_id = %s", run_id) == []
    _assert_told(live, run_id)

    live.clear("hasty", run_id, "compute")
    assert live.ended("hasty", run_id) == "success"
    assert live.task("hasty", run_id, "fetch_flights")["try_number"] == 1
    published = live.rows("SELECT count(*) FROM results.hasty__flown WHERE period = '2013-02-01'")
    assert published[0][0] > 0
    _assert_told(live, run_id)


def test_clearing_compute_after_its_input_is_gone_says_what_to_clear(live: Live) -> None:
    """F13: never a green run with an empty report."""
    run_id = live.run("hasty", period="2013-02-02")
    live.warehouse.execute(
        "UPDATE reporting.staged_run SET keep_until = now() WHERE run_id = %s", (run_id,)
    )
    live.janitor()
    assert live.keys("staging", RunId("hasty", run_id).prefix) == []
    live.clear("hasty", run_id, "compute")
    assert live.ended("hasty", run_id) == "failed"
    assert "clear fetch_flights with its downstream" in live.failure("hasty", run_id, "compute")

    live.clear("hasty", run_id, "fetch_flights")
    live.clear("hasty", run_id, "fetch_airlines")
    assert live.ended("hasty", run_id) == "success"


def test_run_marked_failed_by_hand_is_settled_by_the_janitor(live: Live) -> None:
    with live.switch("2013-02-03", "wait"):
        run_id = live.trigger("hasty", period="2013-02-03")
        live.await_task("hasty", run_id, "compute", "running")
        live.api.patch(run_path("hasty", run_id), {"state": "failed"})
        assert live.ended("hasty", run_id) == "failed"
    assert live.mails(run_id) == []
    _settle(live, run_id)
    _settle(live, run_id)
    assert [step for (step,) in live.rows(LEDGER, run_id, 0)][-1] == "compensate"
    assert live.rows("SELECT 1 FROM reporting.claim WHERE run_id = %s", run_id) == []
    assert len(live.mails(run_id)) == len(live.slacks(run_id)) == 1
    assert "Reason: ended by hand" in live.slacks(run_id)[0]


def test_deleted_run_leaves_no_claim(live: Live) -> None:
    with live.switch("2013-02-04", "wait"):
        run_id = live.trigger("hasty", period="2013-02-04")
        live.await_task("hasty", run_id, "compute", "running")
        live.api.patch(run_path("hasty", run_id), {"state": "failed"})
        live.api.delete(run_path("hasty", run_id))
    live.janitor()
    assert live.rows("SELECT 1 FROM reporting.claim WHERE run_id = %s", run_id) == []
    live.run("hasty", period="2013-02-04")


def _settle(live: Live, run_id: str) -> None:
    def settled() -> bool:
        live.janitor()
        return bool(live.rows(LEDGER, run_id, 0))

    eventually("the janitor to settle the run", settled)


def _assert_told(live: Live, run_id: str) -> None:
    for told in (live.mails(run_id), live.slacks(run_id)):
        assert len(told) == 1
        for part in (
            "Switchboard hasty",
            "2013-02-01",
            "Step: compute",
            "ValueError: the switch says fail (switchboard.py, line ",
            "Kept: committed data for ",
            f"reports clear hasty {run_id} compute",
        ):
            assert part in told[0]
