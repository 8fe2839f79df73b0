"""The API of the report center on a live Airflow: trigger, wait, download, by one's own rights."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import unquote

import pytest
import requests

from embedded_stack.layout import CHECKOUT
from tests.docs_pages import blocks
from tests.e2e.live import Live
from tests.e2e.test_routes_rights import COOKIE, bearer, logins

REPORT, PERIOD = "exchange_rates", "2013-03"
PAGE = CHECKOUT / "docs" / "how-to" / "use-the-report-center.md"
RUNS = f"/reports/api/reports/{REPORT}/runs"


@pytest.fixture(scope="module")
def tokens(live: Live) -> dict[str, str]:
    """Log every role in."""
    return logins(live)


def ask(live: Live, method: str, path: str, token: str, **how: Any) -> requests.Response:
    headers = {**bearer(token), **how.pop("headers", {})}
    return requests.request(
        method, f"{live.api.base_url}{path}", headers=headers, timeout=90, **how
    )


@pytest.fixture(scope="module")
def made(live: Live, tokens: dict[str, str]) -> dict[str, Any]:
    """A run made by two who press at once with the same key."""

    def press(_: int) -> requests.Response:
        key = {"Idempotency-Key": "month end"}
        return ask(live, "POST", RUNS, tokens["op"], json={"period": PERIOD}, headers=key)

    with ThreadPoolExecutor(2) as pool:
        first, second = sorted(pool.map(press, range(2)), key=lambda it: -it.status_code)
    assert (first.status_code, second.status_code) == (201, 200), (first.text, second.text)
    assert first.json()["answer"] == "created"
    assert second.json()["answer"] in ("same_key", "under_way")
    run_id = first.json()["run"]["run_id"]
    assert second.json()["run"]["run_id"] == run_id
    assert first.headers["location"] == f"{RUNS}/{run_id}"
    return dict(first.json()["run"])


@pytest.fixture(scope="module")
def result(live: Live, tokens: dict[str, str], made: dict[str, Any]) -> dict[str, Any]:
    """What came of it, waited for."""
    path = f"{RUNS}/{made['run_id']}/result?wait=60"
    for _ in range(3):
        found: dict[str, Any] = ask(live, "GET", path, tokens["viewer"]).json()
        if found["is_over"]:
            return found
    raise AssertionError(found)


def test_f26_the_same_key_gives_the_same_run_however_often(
    live: Live, tokens: dict[str, str], made: dict[str, Any], result: dict[str, Any]
) -> None:
    assert (result["run"]["state"], result["run"]["run_id"]) == ("SUCCESS", made["run_id"])
    key = {"Idempotency-Key": "month end"}
    again = ask(live, "POST", RUNS, tokens["op"], json={"period": PERIOD}, headers=key)
    assert (again.status_code, again.json()["answer"]) == (200, "same_key")
    assert again.json()["run"]["run_id"] == made["run_id"]
    other = ask(live, "POST", RUNS, tokens["op"], json={"period": "2013-04"}, headers=key)
    assert other.status_code == 422
    assert "Idempotency-Key" in other.json()["detail"]


def test_what_is_published_already_is_the_answer(
    live: Live, tokens: dict[str, str], result: dict[str, Any]
) -> None:
    found = ask(live, "POST", RUNS, tokens["user"], json={"period": PERIOD})
    assert (found.status_code, found.json()["answer"]) == (200, "published")
    assert found.json()["release_id"] == result["release"]["release_id"]


def test_the_page_asks_as_it_says(live: Live, result: dict[str, Any]) -> None:
    known = live.connection("AIRFLOW_API")
    login = {"AIRFLOW_USER": known["login"], "AIRFLOW_PASSWORD": known["password"]}
    (shell,) = blocks(PAGE, "sh")
    done = subprocess.run(
        ["bash", "-eu", "-o", "pipefail", "-c", shell.text],  # noqa: S607 - the one in PATH
        env={**os.environ, **login, "AIRFLOW_URL": live.api.base_url},
        check=True,
        capture_output=True,
    )
    found = json.loads(done.stdout)
    assert (found["answer"], found["run"]["run_id"]) == ("published", result["run"]["run_id"])


def test_f66_a_run_is_made_with_ones_own_rights_and_name(
    live: Live, tokens: dict[str, str], made: dict[str, Any]
) -> None:
    assert made["triggered_by"] == "op"
    refused = ask(live, "POST", RUNS, tokens["viewer"], json={"period": PERIOD})
    assert refused.status_code == 403
    cookie = {"Cookie": f"{COOKIE}={tokens['op']}", "Origin": "https://evil.test"}
    url = f"{live.api.base_url}{RUNS}"
    foreign = requests.post(url, json={"period": PERIOD}, headers=cookie, timeout=20)
    assert (foreign.status_code, "another site" in foreign.text) == (403, True)
    assert "op" in live.audited("trigger_dag_run", dag_id=REPORT)


def test_a_download_is_the_file_that_was_published(
    live: Live, tokens: dict[str, str], result: dict[str, Any]
) -> None:
    release = result["release"]
    ((keys,),) = live.rows(
        "SELECT files FROM reporting.release WHERE release_id = %s", release["release_id"]
    )
    stored = {key.rpartition("/")[2]: key for key in keys}
    assert [file["name"] for file in release["files"]] == list(stored)
    for file in release["files"]:
        path = f"/reports/api/releases/{release['release_id']}/files/{file['name']}"
        got = ask(live, "GET", path, tokens["viewer"])
        assert got.status_code == 200
        body = live.s3.get_object(Bucket="reports", Key=stored[file["name"]])["Body"].read()
        assert got.content == body
        assert hashlib.sha256(got.content).hexdigest() == file["sha256"]
        assert got.headers["x-content-type-options"] == "nosniff"
        name = unquote(got.headers["content-disposition"].partition("UTF-8''")[2])
        assert PERIOD in name
        assert name.endswith(file["name"].rpartition(".")[2])


def test_a_run_is_shown_with_its_sources_and_release(
    live: Live, tokens: dict[str, str], result: dict[str, Any]
) -> None:
    found = ask(live, "GET", f"{RUNS}/{result['run']['run_id']}", tokens["viewer"]).json()
    assert [one["state"] for one in found["transitions"]][-1] == "SUCCESS"
    assert all(source["rows"] for source in found["sources"])
    assert found["progress"]["sources_ready"] == found["progress"]["sources_total"]
    assert found["unseen"] == []
    listed = ask(live, "GET", f"/reports/api/runs?report={REPORT}", tokens["viewer"]).json()
    assert result["run"]["run_id"] in {run["run_id"] for run in listed["runs"]}


def test_reports_and_health_are_told(live: Live, tokens: dict[str, str]) -> None:
    found = ask(live, "GET", "/reports/api/reports", tokens["viewer"]).json()
    ours = {row["report"]["name"]: row for row in found["reports"]}
    assert ours["airline_on_time"]["report"]["sources"] == [
        "flights", "weather", "planes", "airlines",
    ]  # fmt: skip
    assert "report_janitor" not in ours
    health = ask(live, "GET", "/reports/api/health", tokens["viewer"]).json()
    assert health["unseen"] == []
    assert "reports.dead" in {queue["name"] for queue in health["queues"]}
    assert health["pools"]


def test_f66_the_document_is_behind_the_login(live: Live, tokens: dict[str, str]) -> None:
    for name in ("openapi.json", "docs"):
        url = f"{live.api.base_url}/reports/api/{name}"
        assert requests.get(url, timeout=20).status_code == 401
        assert requests.get(url, headers=bearer(tokens["viewer"]), timeout=20).status_code == 200
