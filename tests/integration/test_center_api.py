"""The API of the report center: what it answers, refuses, and how it goes from page to page."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import psycopg
import pytest
from benchmarks.many_runs import Many

from embedded_stack.stack import Stack
from report_center.api import reconciliation_routes
from tests.integration.center_site import OURS, Site, letter_of, release_of, site
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


def test_reports_go_on_at_their_cursor(served: Served) -> None:
    first = get(served, "/reports?limit=1").json()
    second = get(served, f"/reports?limit=1&cursor={first['next_cursor']}").json()
    names = [row["report"]["name"] for page in (first, second) for row in page["reports"]]
    assert (names, second["next_cursor"]) == ([OURS, "report_0002"], None)
    assert [row["report"]["name"] for row in get(served, "/reports").json()["reports"]] == names
    for cursor in ("x", "cmVwb3J0czo%3D", get(served, "/runs?limit=1").json()["next_cursor"]):
        answer = get(served, f"/reports?cursor={cursor}")
        assert (answer.status_code, answer.json()["detail"][:7]) == (422, "cursor ")


@pytest.mark.parametrize("order", ["newest", "oldest"])
def test_dead_letters_go_on_at_their_cursor_whatever_comes_or_goes(
    served: Served, order: str
) -> None:
    """What dies again, or is added, in between is neither shown twice nor hides another."""
    _, _, known = served
    there = {letter_of(known, OURS) for _ in range(6)}
    path = f"/dead-letters?state=discarded&order={order}&limit=4"
    first = get(served, path).json()
    assert (len(first["dead_letters"]), first["total_entries"] >= 6) == (4, True)
    letter_of(known, OURS)
    seen = [one["dead_letter_id"] for one in first["dead_letters"]]
    cursor = first["next_cursor"]
    while cursor:
        page = get(served, f"{path}&cursor={cursor}").json()
        seen += [one["dead_letter_id"] for one in page["dead_letters"]]
        cursor = page["next_cursor"]
    assert len(seen) == len(set(seen))
    assert there <= set(seen)


def test_a_cursor_of_dead_letters_is_for_their_order(served: Served) -> None:
    for _ in range(2):
        letter_of(served[2], OURS)
    path = "/dead-letters?state=discarded&limit=1"
    cursor = get(served, path).json()["next_cursor"]
    for query in (f"{path}&cursor={cursor}&order=oldest", f"/runs?cursor={cursor}"):
        answer = get(served, query)
        assert answer.status_code == 422
        assert answer.json()["detail"].startswith("cursor ")


def test_a_warehouse_that_has_kept_no_letter_has_none(served: Served) -> None:
    site_, _, known = served
    with psycopg.connect(known.warehouse, autocommit=True) as warehouse:
        warehouse.execute("ALTER TABLE reporting.dead_letter RENAME TO away")
        try:
            listed = get(served, "/dead-letters").json()
            one = get(served, "/dead-letters/1")
            page = site_.ask("GET", "/reports/dead-letters", "op")
        finally:
            warehouse.execute("ALTER TABLE reporting.away RENAME TO dead_letter")
    nothing = {"dead_letters": [], "total_entries": 0, "next_cursor": None}
    assert listed == {**nothing, "uncollected": None}  # the broker of the site is away
    assert (one.status_code, page.status_code) == (404, 200)


def test_only_a_few_comparisons_go_on_at_once(served: Served) -> None:
    with ExitStack() as others:
        for _ in range(reconciliation_routes.AT_ONCE):
            others.enter_context(reconciliation_routes._going_on)
        answer = get(served, f"/reconciliation?report={OURS}")
    assert answer.status_code == 503
    assert "try again in a minute" in answer.json()["detail"]


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_what_no_route_takes_is_a_page_for_people_and_a_problem_for_programs(
    served: Served, method: str
) -> None:
    site_, _, _ = served
    for path in ("no/such", "health", "dead-letters/1"):
        page = site_.ask(method, f"/reports/{path}", "op")
        assert page.status_code in (404, 405)
        assert page.headers["content-type"].startswith("text/html")
        assert "style-src 'self'" in page.headers["content-security-policy"]
    problem = site_.ask(method, f"{API}/no/such", "op")
    assert problem.status_code in (404, 405)
    assert problem.headers["content-type"] == PROBLEM


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
    assert found["kept"] == []
    checks = {(check["kind"], check["about"]): check["values"] for check in found["checks"]}
    assert checks["published", "totals"] == {"rows": found["release"]["row_counts"]["totals"]}
    result = get(served, f"/reports/{OURS}/runs/run_2/result?wait=5").json()
    assert (result["is_over"], result["asked_for"]) == (True, "run_2")
    assert result["release"]["release_id"] == found["release"]["release_id"]


def test_waiting_ends_when_the_time_is_over(served: Served) -> None:
    found = get(served, "/reports/report_0002/runs/run_1/result?wait=1")
    assert found.status_code == 200
    assert (found.json()["is_over"], found.json()["release"]) == (False, None)
    assert get(served, f"/reports/{OURS}/runs/run_2/result?wait=61").status_code == 422


def test_an_address_that_is_unknown_is_told_in_plain_words(served: Served) -> None:
    detail = get(served, "/no'such").json()["detail"]
    assert detail == 'There is no address "/api/no\'such"; `/reports/api/docs` lists all.'


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
        ({"params": {"period": "2024-05-01"}}, ["period stands beside params"]),
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


@pytest.mark.parametrize(
    ("column", "words"), [("is_paused", "is paused"), ("is_stale", "was removed")]
)
def test_a_report_that_is_paused_or_gone_takes_no_run(
    served: Served, column: str, words: str
) -> None:
    found, _, known = served
    known.execute(f"UPDATE dag SET {column} = true WHERE dag_id = %s", OURS)
    try:
        answers = (
            found.ask("POST", f"{API}/reports/{OURS}/runs", "op", json={"period": "2013-01-01"}),
            found.ask("POST", f"{API}/reports/{OURS}/runs/run_2/rerun", "op", json={"part": "all"}),
        )
    finally:
        known.execute(f"UPDATE dag SET {column} = false WHERE dag_id = %s", OURS)
    for answer in answers:
        assert answer.status_code == 409
        assert words in answer.json()["detail"]


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
