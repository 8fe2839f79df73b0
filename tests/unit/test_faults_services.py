"""The services of the fault harness: they answer well, and play the faults of the plan."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.faults.orders import Orders
from tests.faults.plan import Plan, ServiceFault
from tests.faults.services import HttpServices
from tests.faults.subject import Case
from tests.integration.scripted_service import Reply, Request

pytestmark = pytest.mark.unit

DAY = "2000-01-02"
JOB, PAGED = Case("chaos_job", DAY, 7), Case("chaos_tables", DAY, 7)


def services(case: Case, *faults: ServiceFault) -> HttpServices:
    orders = Orders()
    orders.take(Plan(1, case, faults))
    return HttpServices(orders)


def submitted(at: HttpServices, key: str = "k") -> Reply:
    body = {"report": JOB.report, "period": DAY, "source": "orders"}
    headers = {"Idempotency-Key": key}
    return at.answer(Request("/jobs", {}, headers, "POST", json.dumps(body).encode()))


def asked(at: HttpServices, path: str, method: str = "GET", **query: str) -> Reply:
    return at.answer(Request(path, query, {}, method))


def items(reply: Reply) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(reply.body)["items"]
    return found


def ordered(what: str, at: int = 1) -> ServiceFault:
    return ServiceFault("fetch_orders", what, at)


def test_pages_have_all_rows_once() -> None:
    at, cursor, rows = services(PAGED), "0", []
    while cursor:
        page = asked(at, "/rows/chaos_tables/rates", period=DAY, cursor=cursor)
        rows += items(page)
        cursor = json.loads(page.body).get("next", "")

    assert [row["id"] for row in rows] == list(range(1, 8))


def test_a_fault_is_played_at_its_request_and_once() -> None:
    at = services(PAGED, ServiceFault("fetch_rates", "away", 2))

    found = [asked(at, "/rows/chaos_tables/rates", period=DAY).status for _ in range(3)]

    assert found == [200, 503, 200]


def test_the_same_key_gives_the_same_job_and_another_key_another() -> None:
    at = services(JOB)

    ids = [json.loads(submitted(at, key).body)["id"] for key in ("a", "b", "a")]

    assert ids == ["job-1", "job-2", "job-1"]


def test_a_job_whose_answer_is_lost_was_taken_all_the_same() -> None:
    at = services(JOB, ordered("answer lost"))

    assert submitted(at).is_cut
    assert list(at.jobs) == ["job-1"]


@pytest.mark.parametrize(
    ("path", "method", "state"),
    [("/jobs/job-1/result", "GET", "collected"), ("/jobs/job-1", "DELETE", "cancelled")],
)
def test_the_end_of_a_job_is_known(path: str, method: str, state: str) -> None:
    at = services(JOB)
    submitted(at)
    assert at.jobs["job-1"].state == ""

    asked(at, path, method)

    assert at.jobs["job-1"].state == state


def test_a_result_that_is_cut_is_not_collected_yet() -> None:
    at = services(JOB, ordered("result cut"))
    submitted(at)
    cut = asked(at, "/jobs/job-1/result")

    assert int(cut.headers["Content-Length"]) > len(cut.body)
    assert at.jobs["job-1"].state == ""
    assert len(items(asked(at, "/jobs/job-1/result"))) == 7


def test_a_cancel_that_is_refused_is_refused_once() -> None:
    at = services(JOB, ordered("cancel refused"))
    submitted(at)

    assert [asked(at, "/jobs/job-1", "DELETE").status for _ in range(2)] == [503, 204]


def test_a_job_that_fails_says_why() -> None:
    at = services(JOB, ordered("job fails"))
    submitted(at)

    assert json.loads(asked(at, "/jobs/job-1").body)["status"] == "failed"
