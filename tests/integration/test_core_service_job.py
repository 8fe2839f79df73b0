"""Jobs at a service: asked for once whatever is lost, read whole, cancelled when not wanted."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from reporting.core.intake import Intake
from reporting.core.run import RunId
from reporting.core.service.asking import ask_for_job, cancel_job, end_request, record_due
from reporting.core.service.job import look, read_result
from reporting.core.service.request_record import RequestRecord, RequestRecords
from reporting.core.staging import Staging
from reporting.definition.jobs import Job
from reporting.errors import ContractError, TerminalError, TransientError
from tests.integration.job_service import ROWS, Jobs, as_json, asking
from tests.integration.scripted_service import Reply, Request
from tests.specimens import a_job_source

pytestmark = pytest.mark.integration


def records_of(staging: Staging, **life: Any) -> RequestRecords:
    return RequestRecords(staging.bucket, replace(staging.run, **life))


def no_cancel(record: RequestRecord) -> None:
    raise AssertionError(f"{record} is cancelled")


def ask(staging: Staging, jobs: Jobs, **life: Any) -> RequestRecord:
    records = records_of(staging, **life)
    with asking(jobs) as (_, client):
        cancelled = lambda record: cancel_job(record, client, records.run)  # noqa: E731
        record = record_due(records, "orders", "http", "orders_api", cancelled)
        return ask_for_job(records, record, client, a_job_source(), {"day": "2024-05-01"})


def test_f3_a_request_whose_answer_was_lost_starts_one_job_only(staging: Staging) -> None:
    jobs = Jobs(before=lambda request: Reply(is_cut=True) if request.method == "POST" else None)
    with pytest.raises(TransientError):
        ask(staging, jobs)
    assert len(jobs.by_key) == 1  # the service has started it, and nobody knows its id

    jobs.before = lambda _: None
    record = ask(staging, jobs)

    assert list(jobs.by_key.values()) == ["job-1"] == [record.job]


def test_a_task_that_runs_again_goes_on_with_its_job(staging: Staging) -> None:
    jobs = Jobs()
    first = ask(staging, jobs)

    assert ask(staging, jobs) == first
    assert len(jobs.by_key) == 1


def test_a_job_that_failed_is_not_asked_for_again_but_a_new_one(staging: Staging) -> None:
    jobs = Jobs()
    first = ask(staging, jobs)
    end_request(records_of(staging), first, "it failed")

    second = ask(staging, jobs)

    assert (first.job, second.job) == ("job-1", "job-2")
    assert jobs.cancelled == []


def test_a_cleared_fetch_asks_anew_and_cancels_what_it_had_asked_for(staging: Staging) -> None:
    jobs = Jobs()
    ask(staging, jobs)

    again = ask(staging, jobs, clear_number=1)

    assert again.job == "job-2"
    assert jobs.cancelled == ["job-1"]


def test_a_job_whose_id_never_came_is_cancelled_all_the_same(staging: Staging) -> None:
    jobs = Jobs(before=lambda request: Reply(is_cut=True) if request.method == "POST" else None)
    with pytest.raises(TransientError):
        ask(staging, jobs)
    record = records_of(staging).read("orders")
    assert record is not None
    assert record.job == ""

    jobs.before = lambda _: None
    with asking(jobs) as (_, client):
        cancel_job(record, client, staging.run)

    assert jobs.cancelled == ["job-1"]
    assert len(jobs.by_key) == 1


def test_nothing_is_cancelled_that_was_never_sent(staging: Staging) -> None:
    records = records_of(staging)
    record = record_due(records, "orders", "http", "orders_api", no_cancel)
    jobs = Jobs()
    with asking(jobs) as (service, client):
        cancel_job(record, client, staging.run)

    assert service.requests == []


@pytest.mark.parametrize("status", [404, 409, 410])
def test_a_job_that_is_gone_counts_as_cancelled(staging: Staging, status: int) -> None:
    jobs = Jobs()
    record = ask(staging, jobs)
    jobs.before = lambda request: Reply(status=status) if request.method == "DELETE" else None
    with asking(jobs) as (_, client):
        cancel_job(record, client, staging.run)


def test_a_service_that_cannot_be_reached_leaves_the_record(staging: Staging) -> None:
    jobs = Jobs()
    record = ask(staging, jobs)
    jobs.before = lambda _: Reply(status=503)
    with asking(jobs) as (_, client), pytest.raises(TransientError):
        cancel_job(record, client, staging.run)

    assert records_of(staging).read("orders") == record


@pytest.mark.parametrize(
    "answer", [{}, {"id": None}, {"id": ""}, {"id": True}, {"id": ["a"]}, {"id": "x" * 501}, []]
)
def test_an_answer_without_an_id_is_refused(staging: Staging, answer: Any) -> None:
    jobs = Jobs(before=lambda _: as_json(answer, 202))
    with pytest.raises(ContractError, match="'orders'"):
        ask(staging, jobs)


def test_an_id_of_any_characters_is_one_path_segment(staging: Staging) -> None:
    jobs = Jobs(
        before=lambda request: as_json({"id": "a/../b ?é%2F"}) if request.method == "POST" else None
    )
    record = ask(staging, jobs)
    jobs.before = lambda _: as_json({"status": "done"})
    with asking(jobs) as (service, client):
        assert look(client, Job(), record.job).is_done

    assert service.requests[0].path == "/jobs/a%2F..%2Fb%20%3F%C3%A9%252F"


@pytest.mark.parametrize("status", [{}, {"status": None}, {"status": 1}, {"state": "done"}])
def test_a_status_without_a_state_is_refused(status: dict[str, Any]) -> None:
    jobs = Jobs(status=status)
    with asking(jobs) as (_, client), pytest.raises(ContractError, match="no text 'status'"):
        look(client, Job(), "job-1")


def test_the_services_own_reason_is_kept() -> None:
    jobs = Jobs(status={"status": "failed", "error": "disk full"})
    with asking(jobs) as (_, client):
        found = look(client, Job(), "job-1")

    assert (found.is_failed, found.is_done, found.reason) == (True, False, "disk full")


def stage(staging: Staging, jobs: Jobs, **source: Any) -> list[dict[str, Any]]:
    declared = a_job_source(**source)
    with asking(jobs) as (_, client), staging.attempt("orders", declared.schema) as attempt:
        fields = read_result(client, declared, "job-1", Intake(declared, attempt))
        manifest = attempt.commit({"fields": sorted(fields)})
    assert manifest.facts["fields"] == ["id", "name"]
    return [{"rows": manifest.rows}]


def test_the_result_is_staged(staging: Staging) -> None:
    assert stage(staging, Jobs()) == [{"rows": len(ROWS)}]


def test_a_link_that_has_expired_is_asked_for_anew(staging: Staging) -> None:
    links = iter(["/old", "/new"])

    def before(request: Request) -> Reply | None:
        if request.path == "/old":
            return Reply(status=403)
        if request.path == "/new":
            return as_json({"items": ROWS})
        return as_json({"status": "done", "result_url": next(links)})

    assert stage(staging, Jobs(before=before)) == [{"rows": len(ROWS)}]


def test_a_link_to_another_host_is_not_followed(staging: Staging) -> None:
    status = {"status": "done", "result_url": "http://example.com/secret"}
    with pytest.raises(TerminalError, match="pointed to http://example"):
        stage(staging, Jobs(status=status))

    assert staging.manifest("orders") is None


def test_a_result_that_was_cut_off_is_never_staged(staging: Staging) -> None:
    body = json.dumps({"items": ROWS}).encode()

    def before(request: Request) -> Reply | None:
        if request.path.endswith("/result"):
            return Reply(body[:-9], headers={"Content-Length": str(len(body))})
        return None

    with pytest.raises(TransientError):
        stage(staging, Jobs(before=before))
    assert staging.manifest("orders") is None


def test_a_record_is_read_as_it_was_written(staging: Staging) -> None:
    records = records_of(staging)
    now = datetime.now(UTC).isoformat()
    record = RequestRecord("orders", "0 x", 3, "http", "c", now, "/jobs", {"a": 1}, "id")
    records.write(record)

    assert records.read("orders") == record
    assert list(records.sources()) == ["orders"]
    assert record.key("a") != record.key("b") != replace(record, number=4).key("b")
    records.forget("orders")
    assert records.read("orders") is None


def test_a_run_whose_id_is_the_beginning_of_another_has_records_of_its_own(
    staging: Staging,
) -> None:
    longer = RequestRecords(staging.bucket, RunId(staging.run.report, f"{staging.run.run_id}0"))
    record_due(longer, "orders", "http", "c", no_cancel)

    assert list(records_of(staging).sources()) == []
