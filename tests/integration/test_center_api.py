"""The API of the report center: what it answers, refuses, and how it goes from page to page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from benchmarks.many_runs import Many

from embedded_stack.stack import Stack
from tests.integration.center_site import OURS, Site, release_of, site
from tests.integration.metadata import Metadata, airflow_tables, metadata

API = "/reports/api"
PROBLEM = "application/problem+json"
Served = tuple[Site, int, Metadata]


@pytest.fixture(scope="module")
def served(stack: Stack) -> Iterator[Served]:
    """Two reports with runs and releases, and the id of a release."""
    patch = pytest.MonkeyPatch()
    with (
        airflow_tables(stack) as template,
        metadata(stack, template, Many(reports=2, runs=120)) as known,
        site(known, patch) as found,
    ):
        yield found, release_of(known, OURS), known
    patch.undo()


def get(served: Served, path: str, user: str = "op") -> Any:
    return served[0].ask("GET", API + path, user)


@pytest.mark.parametrize(("what", "key"), [("runs", "run_id"), ("releases", "release_id")])
def test_pages_go_on_at_their_cursor(served: Served, what: str, key: str) -> None:
    seen: list[Any] = []
    cursor = ""
    while True:
        page = get(served, f"/{what}?limit=7{cursor}").json()
        seen += [one[key] for one in page[what]]
        if page["next_cursor"] is None:
            break
        cursor = f"&cursor={page['next_cursor']}"
    assert len(seen) == len(set(seen))
    assert len(seen) == len(get(served, f"/{what}?limit=200").json()[what]) > 100 - 20


@pytest.mark.parametrize(
    "query",
    [
        "cursor=x", "cursor=cnVuczox%00", "cursor=" + "A" * 65, "limit=0", "limit=201",
        "state=lost", "period_from=2024-02-30", "period_to=2024-13", "period_from=20240101",
        "how=else", "report=%00", "triggered_by=" + "x" * 251,
    ],
)  # fmt: skip
def test_what_is_not_allowed_is_refused_by_its_name(served: Served, query: str) -> None:
    answer = get(served, f"/runs?{query}")
    assert answer.status_code == 422
    assert answer.headers["content-type"] == PROBLEM
    assert answer.json()["detail"].startswith(query.partition("=")[0])


def test_a_cursor_of_another_list_is_refused(served: Served) -> None:
    cursor = get(served, "/runs?limit=1").json()["next_cursor"]
    answer = get(served, f"/releases?cursor={cursor}")
    assert answer.status_code == 422
    assert "cursor" in answer.json()["detail"]


def test_a_run_is_answered_whole(served: Served) -> None:
    found = get(served, f"/reports/{OURS}/runs/run_2").json()
    assert (found["run"]["state"], found["run"]["version"]) == ("SUCCESS", 1)
    assert found["release"]["files"][0]["name"] == "report_totals.csv"
    assert "key" not in found["release"]["files"][0]
    result = get(served, f"/reports/{OURS}/runs/run_2/result?wait=5").json()
    assert (result["is_over"], result["asked_for"]) == (True, "run_2")
    assert result["release"]["release_id"] == found["release"]["release_id"]


def test_waiting_ends_when_the_time_is_over(served: Served) -> None:
    found = get(served, "/reports/report_0002/runs/run_1/result?wait=1")
    assert found.status_code == 200
    assert (found.json()["is_over"], found.json()["release"]) == (False, None)
    assert get(served, f"/reports/{OURS}/runs/run_2/result?wait=61").status_code == 422


@pytest.mark.parametrize(
    "path",
    [
        "/reports/no_such", f"/reports/{OURS}/runs/no_such", "/reports/no_such/runs/run_2",
        f"/reports/{OURS}/runs/no_such/progress", f"/reports/{OURS}/runs/no_such/result",
        "/releases/999999999", "/no/such", f"/reports/{OURS}/runs/%2e%2e",
    ],
)  # fmt: skip
def test_what_is_not_there_is_a_problem(served: Served, path: str) -> None:
    answer = get(served, path)
    assert answer.status_code == 404
    assert answer.headers["content-type"] == PROBLEM
    assert answer.json()["status"] == 404


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"params": {"no_such": 1}}, ["no_such", "unknown"]),
        ({"period": "2024-02-30"}, ["period", "2024-02-30"]),
        ({"period": "2999-01-01"}, ["2999-01-01"]),
        ({"period": "x" * 21}, ["period"]),
        ({"more": 1}, ["more"]),
        ({"params": {"a\ud800": 1}}, ["unknown"]),
    ],
)
def test_params_are_checked_before_a_run_is_made(
    served: Served, body: dict[str, Any], words: list[str]
) -> None:
    import json

    answer = served[0].ask(
        "POST",
        f"{API}/reports/{OURS}/runs",
        "op",
        content=json.dumps(body),
        headers={"Content-Type": "application/json"},
    )
    assert answer.status_code == 422
    for word in words:
        assert word in answer.json()["detail"]


def test_f26_a_request_that_is_answered_already_makes_no_run(served: Served) -> None:
    path = f"{API}/reports/report_0002/runs"
    working = get(served, "/runs?report=report_0002&state=FETCHING_DATA").json()["runs"][0]
    answer = served[0].ask("POST", path, "op", json={"period": working["period"]})
    assert answer.status_code == 200
    assert answer.json()["answer"] == "under_way"
    assert answer.json()["run"]["run_id"] == working["run_id"]
    assert answer.headers["location"].endswith(f"/reports/report_0002/runs/{working['run_id']}")


def test_a_report_that_is_paused_takes_no_run(served: Served) -> None:
    found, _, known = served
    known.execute("UPDATE dag SET is_paused = true WHERE dag_id = %s", OURS)
    asked = {"period": "2013-01-01"}
    try:
        answer = found.ask("POST", f"{API}/reports/{OURS}/runs", "op", json=asked)
    finally:
        known.execute("UPDATE dag SET is_paused = false WHERE dag_id = %s", OURS)
    assert answer.status_code == 409
    assert "paused" in answer.json()["detail"]


def test_a_store_that_is_away_is_said(served: Served) -> None:
    answer = get(served, f"/releases/{served[1]}/files/report_totals.csv")
    assert answer.status_code == 503
    assert "report store" in answer.json()["detail"]


def test_a_file_that_the_release_has_not_is_not_there(served: Served) -> None:
    answer = get(served, f"/releases/{served[1]}/files/..%2F..%2Fsecrets.json")
    assert answer.status_code == 404


def test_every_answer_has_strict_headers(served: Served) -> None:
    for path in ("/runs", "/docs", "/openapi.json", "/no/such", "/runs?limit=0"):
        headers = get(served, path).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert "default-src 'none'" in headers["content-security-policy"]


def test_health_says_what_is_away(served: Served) -> None:
    found = get(served, "/health").json()
    assert found["queues"] is None
    assert [text for text in found["unseen"] if "broker" in text]
    assert found["running"] > 0
