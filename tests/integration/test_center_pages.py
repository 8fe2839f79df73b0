"""The pages over real tables: whole, in either language, and also when something is away."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from benchmarks.many_runs import Many

from embedded_stack.stack import Stack
from tests.integration.center_site import OURS, Site, site
from tests.integration.metadata import airflow_tables, metadata

NOTHING_LISTENS = "http://127.0.0.1:1"
RUN = f"runs/{OURS}/run_40"
PAGES = ("", "runs", RUN, f"report/{OURS}", "dead-letters", "health")
POLICY = "default-src 'none'; script-src 'self'; style-src 'self'"


@pytest.fixture(scope="module")
def served(stack: Stack) -> Iterator[Site]:
    """Two reports with runs and releases; of all else nothing answers."""
    patch = pytest.MonkeyPatch()
    with (
        airflow_tables(stack) as template,
        metadata(stack, template, Many(reports=2, runs=120)) as known,
        site(known, patch) as found,
    ):
        yield found
    patch.undo()


def get(served: Site, path: str, user: str | None = "op", **headers: str) -> Any:
    return served.ask("GET", f"/reports/{path}", user, headers=headers)


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize(("asked", "language"), [("en-GB,en", "en"), ("zh-CN,zh;q=0.9", "zh-Hans")])
def test_every_page_comes_in_the_readers_language_under_its_policy(
    served: Site, path: str, asked: str, language: str
) -> None:
    answer = get(served, path, **{"accept-language": asked})
    assert answer.status_code == 200
    assert f'<html lang="{language}">' in answer.text
    assert answer.headers["content-security-policy"].startswith(POLICY)
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "same-origin"
    assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("path", PAGES)
def test_a_page_is_shown_also_when_the_warehouse_is_away(
    served: Site, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    away = '{"conn_type": "postgres", "host": "127.0.0.1", "port": 1, "login": "x"}'
    monkeypatch.setenv("AIRFLOW_CONN_REPORT_WAREHOUSE", away)
    answer = get(served, path, **{"accept-language": "en"})
    assert answer.status_code == 200
    assert "The report warehouse does not answer" in answer.text


@pytest.mark.parametrize(
    ("path", "part", "what"), [("", "reports", OURS), ("runs", "runs", OURS), (RUN, "run", OURS)]
)
def test_a_part_is_the_same_without_its_frame(
    served: Site, path: str, part: str, what: str
) -> None:
    answer = get(served, f"{path}?part={part}")
    assert answer.status_code == 200
    assert what in answer.text
    assert "<html" not in answer.text


@pytest.mark.parametrize(
    ("path", "words"),
    [
        (f"runs/{OURS}/no_such_run", "There is no such run"),
        ("runs/no_such_report/run_40", "There is no such run"),
        ("report/no_such_report", "There is no such report"),
        ("report/%3Cscript%3E", "There is no such report"),
        ("dead-letters/999999", "There is no such dead letter"),
        ("no/such/page", "There is no such page"),
        ("static/..%2Fapp.py", "There is no such page"),
        ("static/nothing.css", "There is no such page"),
    ],
)
def test_what_is_not_there_is_said_on_a_page(served: Site, path: str, words: str) -> None:
    answer = get(served, path, **{"accept-language": "en"})
    assert answer.status_code == 404
    assert words in answer.text
    assert "<script>" not in answer.text
    assert answer.headers["content-security-policy"].startswith(POLICY)


@pytest.mark.parametrize("path", ["no/such/page", "runs", "health"])
def test_what_is_sent_to_a_page_that_takes_nothing_gets_a_page(served: Site, path: str) -> None:
    answer = served.ask("POST", f"/reports/{path}", "op", headers={"accept-language": "en"})
    assert (answer.status_code, answer.headers["allow"]) == (405, "GET")
    assert "There is no such page" in answer.text
    assert answer.headers["content-security-policy"].startswith(POLICY)
    in_the_api = served.ask("POST", "/reports/api/no/such/thing", "op")
    assert in_the_api.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize(
    "path",
    [
        "runs?state=LOST",
        "runs?from=yesterday",
        "runs?before=x",
        "dead-letters?state=x",
        "dead-letters/x",
        "?offset=-1",
        "?part=other",
        "runs?report=%00",
        f"report/{OURS}?period=yesterday",
        f"report/{OURS}?before=x",
    ],
)
def test_f26_what_an_address_may_not_ask_is_named_on_a_page(served: Site, path: str) -> None:
    answer = get(served, path, **{"accept-language": "en"})
    assert answer.status_code == 422
    assert "Something in this address is not allowed" in answer.text


def test_a_form_that_was_left_empty_asks_for_everything(served: Site) -> None:
    answer = get(served, "runs?report=&state=&by=&from=&to=")
    assert answer.status_code == 200
    assert OURS in answer.text


def test_a_filter_is_kept_from_page_to_page(served: Site) -> None:
    answer = get(served, f"runs?report={OURS}")
    assert f"runs?report={OURS}&amp;before=" in answer.text
    assert "report_0002</a>" not in answer.text


def test_versions_of_a_report_go_on_and_can_be_looked_for(served: Site) -> None:
    english = {"accept-language": "en"}
    first = get(served, f"report/{OURS}", **english)
    (before,) = re.findall(rf'href="/reports/report/{OURS}\?before=(\d+)" rel="next"', first.text)
    last = get(served, f"report/{OURS}?before={before}", **english)
    versions = [set(re.findall(r"releases/(\d+)/", answer.text)) for answer in (first, last)]
    assert all(versions)
    assert not versions[0] & versions[1]
    (period,) = set(re.findall(r'class="period">([\d-]+)', last.text)[-1:])
    found = get(served, f"report/{OURS}?period={period}", **english)
    assert re.findall(r'class="period">([\d-]+)', found.text) == [period]
    assert f'value="{period}"' in found.text
    none = get(served, f"report/{OURS}?period=1999-01-01", **english)
    assert "No version fits." in none.text
    assert get(served, f"report/{OURS}?period=", **english).status_code == 200


def test_a_language_that_was_picked_is_remembered_and_leaves_the_address(served: Site) -> None:
    answer = get(served, "runs?state=FAILED&lang=zh")
    assert answer.status_code == 303
    assert answer.headers["location"] == "/reports/runs?state=FAILED"
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith("reports_language=zh; HttpOnly; Max-Age=")
    assert "Path=/reports; SameSite=lax" in cookie
    again = get(served, "health", **{"accept-language": "en", "cookie": "reports_language=zh"})
    assert '<html lang="zh-Hans">' in again.text
    assert get(served, "health?lang=xx").status_code == 200


@pytest.mark.parametrize("login", [{}, {"cookie": "_token=wrong"}])
def test_f66_a_person_without_a_login_is_led_to_it_and_back(
    served: Site, login: dict[str, str]
) -> None:
    answer = get(served, "runs?state=FAILED", None, accept="text/html", **login)
    assert answer.status_code == 303
    assert answer.headers["location"] == (
        "/api/v2/auth/login?next=%2Freports%2Fruns%3Fstate%3DFAILED"
    )
    assert get(served, "runs", None).status_code == 401


def test_a_static_file_is_what_it_says_and_is_kept_for_a_while(served: Site) -> None:
    for name, kind in (("style.css", "text/css"), ("center.js", "text/javascript")):
        answer = get(served, f"static/{name}?v=1")
        assert answer.headers["content-type"] == f"{kind}; charset=utf-8"
        assert "max-age" in answer.headers["cache-control"]
    assert get(served, "static/icon.svg").headers["content-type"].startswith("image/svg+xml")
