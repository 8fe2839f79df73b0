"""Backfills over days that are new, failed, completed and being worked on, in both directions.

Each day is made once, by the params it was asked for with, and each release says by which (R25).
The range lies across a clock change in New York; other ranges, and Berlin, are in
tests/dags/test_backfill_periods.py.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

import pytest

from reporting.core.warehouse.schema import ensure_schema
from tests.e2e.live import ENDED, Live, eventually

REPORT = "clearing"
COMPLETED, FAILED, NEW, HELD, CLAIMED, LAST, REFUSED = (f"2013-03-{n:02}" for n in range(8, 15))
DAYS = (COMPLETED, FAILED, NEW, HELD, CLAIMED, LAST, REFUSED)
AMOUNT = 10
RELEASES = (
    "SELECT period, (params ->> 'factor')::int FROM reporting.release "
    "WHERE report = 'clearing' AND period BETWEEN %s AND %s ORDER BY release_id"
)
CURRENT = (
    "SELECT r.period, f.amount, (r.params ->> 'factor')::int "
    "FROM results.clearing__sales__by_params AS f JOIN reporting.release AS r USING (release_id) "
    "WHERE r.period BETWEEN %s AND %s ORDER BY 1, 3"
)
CLAIMS = (
    "SELECT request_key FROM reporting.claim "
    "WHERE report = 'clearing' AND left(request_key, 10) BETWEEN %s AND %s"
)


@dataclass
class Backfills:
    """What each backfill has published: days and params, in the order of the releases."""

    live: Live
    made: dict[str, list[tuple[Any, ...]]] = field(default_factory=dict)

    def make(self, name: str, first: str, last: str, reprocess: str, **more: Any) -> None:
        """Backfill a range of days, and wait until all its runs have ended."""
        before = len(self.releases())
        body = {
            "dag_id": REPORT,
            "from_date": f"{first}T00:00:00-05:00",
            "to_date": f"{last}T23:59:59-04:00",
            "max_active_runs": 3,
            "reprocess_behavior": reprocess,
            **more,
        }
        number = self.live.api.post("backfills", body)["id"]
        eventually(f"the end of {name}", lambda: self.under_way() == [], 400)
        # Airflow looks but twice a minute whether one is over, and makes one at a time.
        if self.live.api.get(f"backfills/{number}")["completed_at"] is None:
            self.live.api._call("PUT", f"backfills/{number}/cancel")
        self.made[name] = self.releases()[before:]

    def under_way(self) -> list[str]:
        """Return the runs of backfills that have not ended."""
        runs = self.live.api.pages(f"dags/{REPORT}/dagRuns", "dag_runs", run_type="backfill")
        return [run["dag_run_id"] for run in runs if run["state"] not in ENDED]

    def releases(self) -> list[tuple[Any, ...]]:
        """Return day and params of all releases, in their order."""
        return self.live.rows(RELEASES, DAYS[0], DAYS[-1])


@pytest.fixture(scope="module")
def played(live: Live) -> Backfills:
    """All backfills, one after the other, beside two days that are held open."""
    ensure_schema(live.warehouse)  # the first run of all would make it, but releases are counted
    for day in DAYS:
        for source in ("orders", "prices"):
            column = {"orders": "amount", "prices": "price"}[source]
            body = f"id,{column}\n1,{AMOUNT}\n".encode()
            live.s3.put_object(Bucket="landing", Key=f"{REPORT}/{day}/{source}.csv", Body=body)
    backfills = Backfills(live)
    with ExitStack() as held:
        for day in (HELD, CLAIMED):
            held.enter_context(live.switch(day, "wait"))
        runs = [_held_by_date(live), live.trigger(REPORT, period=CLAIMED, factor=3)]
        with live.switch(FAILED, "fail"):
            backfills.make("first", COMPLETED, FAILED, "none")
        for run_id in runs:
            live.await_task(REPORT, run_id, "compute", "running")
        _all(backfills)
    for run_id in runs:
        assert live.ended(REPORT, run_id) == "success"
    return backfills


def _held_by_date(live: Live) -> str:
    """Start a run of the day as the schedule would: Airflow knows it by its date."""
    start, end = (f"2013-03-{day}T10:00:00Z" for day in (11, 12))
    body = {"logical_date": start, "data_interval_start": start, "data_interval_end": end}
    return str(live.api.post(f"dags/{REPORT}/dagRuns", body)["dag_run_id"])


def _all(backfills: Backfills) -> None:
    whole = (COMPLETED, LAST)
    backwards: dict[str, Any] = {"run_backwards": True, "max_active_runs": 1}
    backfills.make("none", *whole, "none", dag_run_conf={"factor": 3}, **backwards)
    backfills.make("failed", *whole, "failed", dag_run_conf={"factor": 2})
    backfills.make("completed", *whole, "completed", run_backwards=True)
    backfills.make("default", COMPLETED, FAILED, "completed", dag_run_conf={})
    backfills.make("period", REFUSED, REFUSED, "none", dag_run_conf={"period": COMPLETED})


def test_the_first_one_makes_the_day_that_works(played: Backfills) -> None:
    assert played.made["first"] == [(COMPLETED, 1)]


def test_none_makes_new_days_only_the_last_one_first(played: Backfills) -> None:
    """F69: neither a day that is worked on under the day's own run, nor one that is claimed."""
    assert played.made["none"] == [(LAST, 3), (NEW, 3)]


def test_failed_makes_days_that_failed_too_by_the_params_given_now(played: Backfills) -> None:
    assert played.made["failed"] == [(FAILED, 2)]


def test_completed_makes_all_days_but_those_being_worked_on_by_their_params(
    played: Backfills,
) -> None:
    """Airflow keeps what a run was asked for when nothing else is asked for."""
    assert sorted(played.made["completed"]) == [(COMPLETED, 1), (FAILED, 2), (NEW, 3), (LAST, 3)]


def test_a_day_that_is_made_by_other_params_has_a_release_of_each(played: Backfills) -> None:
    assert sorted(played.made["default"]) == [(COMPLETED, 1), (FAILED, 1)]


def test_f21_a_period_for_a_whole_backfill_is_refused_and_says_why(played: Backfills) -> None:
    assert played.made["period"] == []
    runs = played.live.api.pages(f"dags/{REPORT}/dagRuns", "dag_runs", run_type="backfill")
    (run_id,) = [run["dag_run_id"] for run in runs if run["logical_date"].startswith(REFUSED)]
    said = played.live.failure(REPORT, run_id, "init")
    assert f"'{COMPLETED}' in the run of a backfill for {REFUSED}; allowed: nothing" in said


def test_in_the_end_each_day_has_figures_once_for_each_params_it_was_made_by(
    played: Backfills,
) -> None:
    found = played.live.rows(CURRENT, DAYS[0], DAYS[-1])
    made = [(COMPLETED, 1), (FAILED, 1), (FAILED, 2), (NEW, 3), (HELD, 1), (CLAIMED, 3), (LAST, 3)]
    assert found == [(day, AMOUNT * factor, factor) for day, factor in made]
    assert played.live.rows(CLAIMS, DAYS[0], DAYS[-1]) == []
