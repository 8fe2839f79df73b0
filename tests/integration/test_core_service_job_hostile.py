"""A service of jobs that plays a fault: at the asking, at the look, and at the result."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest

from reporting.core.intake import Intake
from reporting.core.service.asking import ask_for_job, record_due
from reporting.core.service.job import look, read_result
from reporting.core.service.request_record import RequestRecord, RequestRecords
from reporting.core.staging import Staging
from reporting.errors import ContractError, ReportError, TerminalError, TransientError
from tests.integration import hostile_http as faults
from tests.integration.hostile_http import Fault, named
from tests.integration.job_service import ROWS, Jobs, as_json, asking
from tests.integration.scripted_service import Reply, Request
from tests.specimens import a_job_source

pytestmark = pytest.mark.integration

LOST: list[Fault] = [
    faults.cut_length,
    faults.no_last_chunk,
    faults.cut_gzip,
    faults.hung_up,
    faults.busy,
    faults.away,
    faults.broken,
]
HOPELESS: list[Fault] = [faults.login_page, faults.error_object, faults.refused]


class Once:
    """Plays a fault for the first request that fits."""

    def __init__(self, fault: Fault, method: str, end: str = "") -> None:
        self._fault, self._method, self._end = fault, method, end
        self.count = 0

    def __call__(self, request: Request) -> Reply | None:
        if request.method != self._method or not request.path.endswith(self._end):
            return None
        self.count += 1
        good = as_json({"items": ROWS} if self._end else {"id": "job-1", "status": "done"})
        return self._fault(good) if self.count == 1 else None


def no_cancel(record: RequestRecord) -> None:
    raise AssertionError(f"{record} is cancelled")


def ask(staging: Staging, jobs: Jobs) -> RequestRecord:
    records = RequestRecords(staging.bucket, staging.run)
    with asking(jobs) as (_, client):
        record = record_due(records, "orders", "http", "orders_api", no_cancel)
        return ask_for_job(records, record, client, a_job_source(), {"day": "2024-05-01"})


@pytest.mark.parametrize("fault", LOST, ids=named(*LOST))
def test_f3_an_answer_to_the_request_that_is_lost_starts_no_second_job(
    staging: Staging, fault: Fault
) -> None:
    """The service has started the job; the id is asked for again with the same key."""
    jobs = Jobs(before=Once(fault, "POST"))
    with pytest.raises(TransientError) as told:
        ask(staging, jobs)
    if fault is faults.busy:
        assert told.value.retry_after == timedelta(seconds=7)

    assert ask(staging, jobs).job == "job-1"
    assert len(jobs.by_key) == 1


@pytest.mark.parametrize("fault", HOPELESS, ids=named(*HOPELESS))
def test_a_request_that_is_refused_ends_with_the_services_words(
    staging: Staging, fault: Fault
) -> None:
    words = {"login_page": "no JSON object", "error_object": "it has: error"}
    with pytest.raises(TerminalError) as told:
        ask(staging, Jobs(before=Once(fault, "POST")))

    assert words.get(fault.__name__, "answered 422: error: no such day") in str(told.value)


@pytest.mark.parametrize("fault", LOST, ids=named(*LOST))
def test_a_look_that_brings_no_answer_is_made_again(fault: Fault) -> None:
    jobs = Jobs(before=Once(fault, "GET"))
    source = a_job_source()
    with asking(jobs) as (_, client):
        with pytest.raises(TransientError):
            look(client, source.job, "job-1")
        assert look(client, source.job, "job-1").is_done


def stage(staging: Staging, jobs: Jobs, **source: Any) -> int:
    declared = a_job_source(**source)
    with asking(jobs) as (_, client), staging.attempt("orders", declared.schema) as attempt:
        read_result(client, declared, "job-1", Intake(declared, attempt))
        return attempt.commit({}).rows


@pytest.mark.parametrize("fault", LOST, ids=named(*LOST))
def test_f49_a_result_that_was_cut_off_is_read_again(staging: Staging, fault: Fault) -> None:
    jobs = Jobs(before=Once(fault, "GET", "/result"))
    with pytest.raises(TransientError):
        stage(staging, jobs)
    assert staging.manifest("orders") is None

    assert stage(staging, jobs) == len(ROWS)


@pytest.mark.parametrize("fault", HOPELESS, ids=named(*HOPELESS))
def test_a_result_that_is_none_is_never_staged(staging: Staging, fault: Fault) -> None:
    with pytest.raises(TerminalError, match="'orders'"):
        stage(staging, Jobs(before=Once(fault, "GET", "/result")))

    assert staging.manifest("orders") is None


@pytest.mark.parametrize("status", [403, 404, 410])
def test_a_link_that_has_expired_again_ends_the_fetch(staging: Staging, status: int) -> None:
    links: list[str] = []

    def before(request: Request) -> Reply | None:
        if request.path.startswith("/link-"):
            return Reply(b"link expired", status)
        links.append(f"/link-{len(links)}")
        return as_json({"status": "done", "result_url": links[-1]})

    with pytest.raises(TerminalError, match=f"GET /link-1 answered {status}: link expired"):
        stage(staging, Jobs(before=before))
    assert links == ["/link-0", "/link-1"]
    assert staging.manifest("orders") is None


def test_a_result_over_its_limit_is_refused(staging: Staging) -> None:
    jobs = Jobs(before=Once(faults.zip_bomb, "GET", "/result"))

    with pytest.raises(ContractError, match="answered more than 10,000,000 bytes"):
        stage(staging, jobs)
    assert staging.manifest("orders") is None


@pytest.mark.parametrize("status", [400, 500])
def test_f8_no_secret_of_a_job_is_in_any_message(staging: Staging, status: int) -> None:
    """The link of a result is often a secret of its own."""
    link = "/files/1?signature=S3CR3T-of-the-link"
    jobs = Jobs(status={"status": "done", "result_url": link})
    jobs.before = lambda request: (
        faults.echoed(status)(request) if request.path == "/files/1" else None
    )
    with pytest.raises(ReportError) as told:
        stage(staging, jobs)

    assert "GET /files/1 answered" in str(told.value)
    assert "You sent: " in str(told.value)
    assert "S3CR3T" not in f"{told.value!r} {told.value.__cause__!r}"
    assert json.dumps(link) not in str(told.value)


@pytest.mark.parametrize("job", ["..", ".", "\ud800", "a\0"])
def test_an_id_that_leads_elsewhere_is_refused(staging: Staging, job: str) -> None:
    """A request for it, and its cancelling, would go to the path above it or fail for ever."""
    answer = as_json({"id": job})

    with pytest.raises(ContractError, match="answered no 'id' that can be asked for"):
        ask(staging, Jobs(before=lambda _: answer))


@pytest.mark.parametrize("more", ["1e99999999999999999999", "[" * 5000])
def test_a_status_that_cannot_be_read_is_none(more: str) -> None:
    answer = Reply(b'{"status": "running", "progress": %b}' % more.encode())
    with (
        asking(Jobs(before=lambda _: answer)) as (_, client),
        pytest.raises(ContractError, match="GET answered no JSON object"),
    ):
        look(client, a_job_source().job, "job-1")


def test_f8_the_reason_of_a_job_that_failed_holds_no_secret_and_no_half_character() -> None:
    said = {"status": "failed", "error": "bad \ud800\0 login: Authorization: Basic S3CR3T"}
    with asking(Jobs(status=said)) as (_, client):
        assert look(client, a_job_source().job, "job-1").reason == (
            "bad ?� login: Authorization: …"
        )
