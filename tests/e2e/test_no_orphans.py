"""Ended at any stage, a request leaves no job, queue or consumer (R16).

Here, on a live Airflow, is each stage that can be held open: `start` (running, nothing is written
down yet), `submit` (asked, and not answered yet), `waiting` (deferred), `result` (being read),
`unclaimed` (on the service's queue), `parts` (some have come). A triggerer that was killed finds
what was done meanwhile: the stage "done, not collected".

Stages between two lines of a process, for every line, are in
tests/integration/test_core_service_orphans.py: written but not sent, sent but not known, whole but
not staged, staged but not ended. There a kill is an error at that line; what Airflow makes of it
is the same as here, another try or a failure that is compensated.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

import pytest

from embedded_stack import broker_api
from reporting.airflow_edge.failed_runs import SETTLE_AFTER
from reporting.core.airflow_api import run_path
from reporting.core.service.broker import Broker, reply_queue
from reporting.core.warehouse.ledger import CLOSING_STEP
from reporting.core.warehouse.schema import ensure_schema
from reporting.messages import Request
from reporting.queues import declare_request_queue
from tests.e2e.day_jobs import ROWS, DayJobs
from tests.e2e.ended_runs import Cell, Ended
from tests.e2e.live import Live, eventually
from tests.integration.message_service import serving, waiting

QUEUE = "e2e.orphans"
BY_HAND = ("clear fetch", "mark fetch failed", "mark run failed", "delete run")
LIMITS = ("run limit", "time limit")
WAITING = (*LIMITS, "kill triggerer", "clear run", *BY_HAND)
STAGES = {
    ("job", "start"): BY_HAND,
    ("job", "submit"): (*LIMITS, "kill worker", *BY_HAND),
    ("job", "waiting"): (*WAITING, "service refuses", "no state told"),
    ("job", "result"): ("kill worker", *BY_HAND),
    ("message", "start"): ("mark fetch failed", "clear fetch"),
    ("message", "unclaimed"): WAITING,
    ("message", "parts"): BY_HAND,
}
LISTED = [(way, stage, action) for (way, stage), actions in STAGES.items() for action in actions]
# The limits take longest.
LISTED.sort(key=lambda cell: cell[2] not in LIMITS)
FIRST_DAY = date(2013, 5, 1)
CELLS = [Cell(*cell, str(FIRST_DAY + timedelta(n))) for n, cell in enumerate(LISTED)]
REPORTS = {"ended_optional", *(cell.report for cell in CELLS)}


@pytest.fixture(scope="module")
def ended(live: Live, jobs: DayJobs) -> Ended:
    """A run per cell, ended at its stage; the janitor has settled what no task could."""
    known = live.connection("REPORTS_BROKER")
    broker = Broker(known["host"], known["port"], known["login"], known["password"], "reports")
    with broker.channel() as channel:
        declare_request_queue(channel, QUEUE)
    eventually("the reports to be known", lambda: known_reports(live) >= REPORTS)
    ensure_schema(live.warehouse)  # the first run of all would make it, but rows are locked before
    found = Ended(live, jobs, broker)
    found.play(CELLS)
    time.sleep(SETTLE_AFTER.total_seconds() + 2)
    live.janitor()
    return found


def known_reports(live: Live) -> set[str]:
    return {dag["dag_id"] for dag in live.api.pages("dags", "dags")}


def cells(*ways: str) -> pytest.MarkDecorator:
    chosen = [cell for cell in CELLS if cell.way in ways]
    ids = [f"{cell.way}-{cell.stage}-{cell.action}".replace(" ", "_") for cell in chosen]
    return pytest.mark.parametrize("cell", chosen, ids=ids)


def requests_of(cell: Cell) -> int:
    """Say how often was asked: nothing is for a task that was ended before it did."""
    return ("clear" in cell.action) + (cell.stage != "start")


@cells("job")
def test_no_job_is_left(ended: Ended, cell: Cell) -> None:
    asked = ended.jobs.of(cell.day)
    is_asked_anew = "clear" in cell.action
    # The last one has failed, or was collected; every other one would run for ever.
    has_last_ended = is_asked_anew or cell.action == "kill triggerer"

    assert len(asked) == requests_of(cell)
    assert set(asked[:-1] if has_last_ended else asked) <= set(ended.jobs.cancelled)


@cells("message")
def test_no_reply_queue_is_left(ended: Ended, cell: Cell) -> None:
    assert len(ended.keys[cell]) == requests_of(cell)
    assert {reply_queue(key) for key in ended.keys[cell]}.isdisjoint(queues(ended.live))


@cells("job", "message")
def test_the_request_has_ended_and_the_run_is_settled(ended: Ended, cell: Cell) -> None:
    run_id, record = ended.runs[cell], ended.record(cell)
    is_good = cell.action == "kill triggerer"
    query = "SELECT step, is_done FROM reporting.compensation WHERE run_id = %s"
    ledger = dict(ended.live.rows(query, run_id))

    assert record is None or record.ended
    if cell.action != "delete run":
        state = ended.live.api.run(cell.report, run_id)["state"]
        assert state == ("success" if is_good else "failed")
    assert ledger.get(CLOSING_STEP) == (None if is_good else True)
    assert all(ledger.values())
    assert ended.live.rows("SELECT 1 FROM reporting.claim WHERE run_id = %s", run_id) == []


def test_a_job_the_service_does_not_take_back_is_told_of_before_it_is(ended: Ended) -> None:
    (cell,) = [cell for cell in CELLS if cell.action == "service refuses"]

    assert ended.live.states(cell.report, ended.runs[cell])["compensate"] == "failed"
    (mail,) = ended.live.mails(ended.runs[cell])
    assert "DELETE" in mail
    assert "503" in mail


def test_nobody_listens_and_a_late_service_answers_into_nothing(ended: Ended, live: Live) -> None:
    seen: list[Request] = []

    def told(request: Request) -> Iterator[dict[str, Any]]:
        seen.append(request)
        yield from ROWS

    assert consumers(live) == 0
    with serving(ended.broker, QUEUE, told):
        waiting(ended.broker, QUEUE, 0)
        every = {key for keys in ended.keys.values() for key in keys}
        eventually("all requests to be taken", lambda: {r.key for r in seen} >= every)

    assert {reply_queue(request.key) for request in seen}.isdisjoint(queues(live))


def test_what_an_optional_source_has_asked_ends_with_the_publish(live: Live, jobs: DayJobs) -> None:
    day = "2013-08-20"
    jobs.says[f"{day} extra"] = {"status": "running"}
    run_id = live.trigger("ended_optional", period=day)
    live.await_task("ended_optional", run_id, "fetch_extra", "deferred")
    path = f"{run_path('ended_optional', run_id)}/taskInstances/fetch_extra"
    live.api.patch(path, {"new_state": "failed"})

    assert live.ended("ended_optional", run_id) == "success"
    assert set(jobs.of(f"{day} extra")) <= set(jobs.cancelled)
    assert jobs.of(f"{day} extra")


def queues(live: Live) -> set[str]:
    found: list[dict[str, Any]] = broker_api.call(live.stack.layout, "GET", "/queues/reports")
    return {queue["name"] for queue in found}


def consumers(live: Live) -> int:
    found: list[dict[str, Any]] = broker_api.call(live.stack.layout, "GET", "/consumers/reports")
    return len([one for one in found if one["queue"]["name"].startswith(("reports.reply", QUEUE))])
