"""Sources that answer later, on a live Airflow: no slot is held, nothing is asked twice or left."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from reporting.core.service.broker import Broker, reply_queue
from reporting.messages import Request
from tests.e2e.day_jobs import ROWS, DayJobs
from tests.e2e.live import Live, eventually
from tests.integration.message_service import serving

RUNNING = {"status": "running"}


def published(live: Live, report: str, day: str) -> list[tuple[Any, ...]]:
    return live.rows(
        f"SELECT id, name FROM results.{report}__orders WHERE period = %s ORDER BY id", day
    )


def deferred(live: Live, report: str, run_id: str) -> None:
    live.await_task(report, run_id, "fetch_orders", "deferred")


WHOLE = [(row["id"], row["name"]) for row in ROWS]


def test_a_job_is_waited_for_without_a_slot_and_its_rows_are_published(
    live: Live, jobs: DayJobs
) -> None:
    jobs.says["2013-08-01"] = RUNNING
    run_id = live.trigger("polling", period="2013-08-01")
    deferred(live, "polling", run_id)
    jobs.says["2013-08-01"] = {"status": "done"}

    assert live.ended("polling", run_id) == "success"
    assert published(live, "polling", "2013-08-01") == WHOLE
    (job,) = jobs.of("2013-08-01")
    assert job not in jobs.cancelled


def test_a_job_that_fails_is_asked_anew_and_the_services_reason_is_told(
    live: Live, jobs: DayJobs
) -> None:
    jobs.says["2013-08-02"] = {"status": "failed", "error": "disk full"}
    run_id = live.trigger("polling", period="2013-08-02")

    assert live.ended("polling", run_id) == "failed"
    assert "failed at the service: disk full" in live.failure("polling", run_id, "fetch_orders")
    assert len(jobs.of("2013-08-02")) == 2


def test_a_job_nobody_waits_for_any_more_is_cancelled(live: Live, jobs: DayJobs) -> None:
    jobs.says["2013-08-03"] = RUNNING
    run_id = live.trigger("polling", period="2013-08-03")
    deferred(live, "polling", run_id)
    live.api.patch(
        f"dags/polling/dagRuns/{run_id}/taskInstances/fetch_orders", {"new_state": "failed"}
    )

    assert live.ended("polling", run_id) == "failed"
    live.await_task("polling", run_id, "compensate", "success")
    (job,) = jobs.of("2013-08-03")
    assert job in jobs.cancelled
    ledger = live.rows(
        "SELECT outcome FROM reporting.compensation WHERE run_id = %s AND step = 'request'", run_id
    )
    assert ledger == [("1 request cancelled",)]


def test_a_cleared_fetch_cancels_its_job_and_asks_again(live: Live, jobs: DayJobs) -> None:
    jobs.says["2013-08-04"] = RUNNING
    run_id = live.trigger("polling", period="2013-08-04")
    deferred(live, "polling", run_id)
    live.clear("polling", run_id, "fetch_orders")
    eventually("a second job", lambda: len(jobs.of("2013-08-04")) == 2)
    jobs.says["2013-08-04"] = {"status": "done"}

    assert live.ended("polling", run_id) == "success"
    first, _ = jobs.of("2013-08-04")
    assert first in jobs.cancelled
    assert published(live, "polling", "2013-08-04") == WHOLE


def test_f53_a_call_before_the_answer_counts_and_a_contrary_one_later_does_not(
    live: Live, jobs: DayJobs
) -> None:
    day = "2013-08-05"
    done, failed = b'{"status": "done"}', b'{"status": "failed", "error": "no"}'
    jobs.calls[day] = [done, done, failed]
    run_id = live.trigger("called_back", period=day)

    assert live.ended("called_back", run_id) == "success"
    assert published(live, "called_back", day) == WHOLE
    said = [(status, "contradicts" in text) for status, text in jobs.receipts[day]]
    assert said == [(200, False), (200, False), (200, True)]


def test_f53_a_call_that_nobody_asked_for_is_refused(live: Live, jobs: DayJobs) -> None:
    day = "2013-08-06"
    jobs.says[day] = RUNNING
    run_id = live.trigger("called_back", period=day)
    deferred(live, "called_back", run_id)
    right = jobs.addresses[day]

    jobs.addresses[day] = right[:-4] + "AAAA"
    assert jobs.call(day, b'{"status": "done"}')[0] == 403
    jobs.addresses[day] = right
    assert jobs.call(day, b"x" * 100_000)[0] == 413
    assert jobs.call(day, b"[1]")[0] == 422
    assert jobs.call(day, b'{"status": "done"}')[0] == 200

    assert live.ended("called_back", run_id) == "success"


@pytest.fixture(scope="module")
def broker(live: Live) -> Broker:
    known = live.connection("REPORTS_BROKER")
    return Broker(known["host"], known["port"], known["login"], known["password"], known["schema"])


def orders(_: Request) -> Iterator[dict[str, Any]]:
    yield from ROWS


def queue_is_gone(broker: Broker, key: str) -> bool:
    from reporting.core.service.broker import count_replies

    with broker.channel() as channel:
        return count_replies(channel, key) is None


def test_a_service_that_starts_late_is_waited_for(live: Live, broker: Broker) -> None:
    with serving(broker, "e2e.orders", orders):
        pass  # its queue is there now
    seen: list[Request] = []

    def told(request: Request) -> Iterator[dict[str, Any]]:
        seen.append(request)
        yield from ROWS

    run_id = live.trigger("messaging", period="2013-08-07")
    deferred(live, "messaging", run_id)
    with serving(broker, "e2e.orders", told):
        assert live.ended("messaging", run_id) == "success"

    assert published(live, "messaging", "2013-08-07") == WHOLE
    (request,) = seen
    assert request.asked == {"day": "2013-08-07"}
    assert queue_is_gone(broker, request.key)


def test_a_request_nobody_waits_for_any_more_leaves_no_queue(live: Live, broker: Broker) -> None:
    with serving(broker, "e2e.orders", orders):
        pass
    run_id = live.trigger("messaging", period="2013-08-08")
    deferred(live, "messaging", run_id)
    live.api.patch(
        f"dags/messaging/dagRuns/{run_id}/taskInstances/fetch_orders", {"new_state": "failed"}
    )
    assert live.ended("messaging", run_id) == "failed"
    live.await_task("messaging", run_id, "compensate", "success")

    seen: list[Request] = []

    def told(request: Request) -> Iterator[dict[str, Any]]:
        seen.append(request)
        yield from ROWS

    with serving(broker, "e2e.orders", told):
        eventually("the request to be answered into nothing", lambda: seen)
    assert queue_is_gone(broker, seen[0].key)
    assert reply_queue(seen[0].key).startswith("reports.reply.")
