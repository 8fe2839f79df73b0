"""Every web route of ours for everybody there is: nobody, a forger, and each of Airflow's roles."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
import requests

from embedded_stack.airflow_settings import password_file
from embedded_stack.connections import ADMIN
from tests.e2e.conftest import ROLES
from tests.e2e.live import Live
from tests.web_routes import WITH_LOGIN

INSERT = """
INSERT INTO reporting.dead_letter
    (digest, queue, reason, report, source, run_id, tries, first_at, last_at)
VALUES (gen_random_uuid(), 'q', 'of a test', %s, 'orders', 'run', 1, now(), now())
RETURNING dead_letter_id
"""
REPORT = "messaging"
COOKIE = "_token"


@pytest.fixture(scope="module")
def tokens(live: Live) -> dict[str, str]:
    """Log every role in."""
    return logins(live)


def logins(live: Live) -> dict[str, str]:
    """Return a token of every role."""
    known = json.loads(password_file(live.stack.layout).read_text())
    return {role: token(live, role, known[role]) for role in (*ROLES, ADMIN)}


def token(live: Live, user: str, password: str) -> str:
    answer = requests.post(
        f"{live.api.base_url}/auth/token",
        json={"username": user, "password": password},
        timeout=10,
    )
    return str(answer.json()["access_token"])


@pytest.fixture(scope="module")
def letters(live: Live) -> Iterator[dict[str, int]]:
    """A letter of a report, and one of which no report is known; their messages are gone."""
    with live.database("REPORT_WAREHOUSE") as warehouse:
        found = {}
        for name, report in (("known", REPORT), ("unknown", None)):
            row = warehouse.execute(INSERT, (report,)).fetchone()
            assert row is not None
            found[name] = row[0]
        yield found
        numbers = list(found.values())
        warehouse.execute(
            "DELETE FROM reporting.dead_letter WHERE dead_letter_id = ANY(%s)", [numbers]
        )


def call(live: Live, route: tuple[str, str], number: int, **how: Any) -> requests.Response:
    method, path = route
    url = live.api.base_url + address(path, number)
    return requests.request(method, url, timeout=20, **how)


def address(path: str, number: int) -> str:
    """Return a route's address; what else it names need not be there."""
    names = {"number": number, "release_id": 1, "report": REPORT, "run_id": "run", "name": REPORT}
    return path.replace("{path:path}", "no/such").format(**names)


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def routes(method: str) -> list[tuple[str, str]]:
    """Return the routes of a method that act on one letter."""
    return [route for route in WITH_LOGIN if route[0] == method and "{number}" in route[1]]


@pytest.mark.parametrize("route", WITH_LOGIN, ids=" ".join)
@pytest.mark.parametrize("headers", [{}, bearer("wrong"), {"Cookie": f"{COOKIE}=wrong"}])
def test_f66_nobody_gets_in_without_a_login(
    live: Live, letters: dict[str, int], route: tuple[str, str], headers: dict[str, str]
) -> None:
    answer = call(live, route, letters["known"], headers=headers)

    assert answer.status_code in (401, 403)
    if "/api/" in route[1]:
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.json()["status"] == answer.status_code


@pytest.mark.parametrize("role", [*ROLES, ADMIN])
def test_f66_everybody_sees_what_they_may(
    live: Live, letters: dict[str, int], tokens: dict[str, str], role: str
) -> None:
    headers = bearer(tokens[role])
    sees_all = role in ("op", ADMIN)
    for route in routes("GET"):
        assert call(live, route, letters["known"], headers=headers).status_code == 200
        unknown = call(live, route, letters["unknown"], headers=headers)
        assert unknown.status_code == (200 if sees_all else 404)

    listed = call(live, ("GET", "/reports/api/dead-letters"), 0, headers=headers).json()
    numbers = {letter["dead_letter_id"] for letter in listed["dead_letters"]}
    assert letters["known"] in numbers
    assert (letters["unknown"] in numbers) == sees_all


@pytest.mark.parametrize("role", [*ROLES, ADMIN])
@pytest.mark.parametrize("route", routes("POST"), ids=" ".join)
def test_f66_a_change_takes_the_right_to_change_runs(
    live: Live, letters: dict[str, int], tokens: dict[str, str], role: str, route: tuple[str, str]
) -> None:
    for name in ("known", "unknown"):
        # Of no effect where it is allowed: put away before, so that it is a conflict.
        live.rows(
            "UPDATE reporting.dead_letter SET state = 'discarded', settled_at = now() "
            "WHERE dead_letter_id = %s RETURNING 1",
            letters[name],
        )
        answer = call(live, route, letters[name], headers=bearer(tokens[role]))
        assert answer.status_code == expected(role, name)
        assert answer.json()["detail"]
    live.rows(
        "UPDATE reporting.dead_letter SET state = 'waiting', settled_at = NULL "
        "WHERE dead_letter_id = ANY(%s) RETURNING 1",
        list(letters.values()),
    )


def expected(role: str, name: str) -> int:
    if name == "unknown" and role in ("viewer", "user"):
        return 404
    return 403 if role == "viewer" else 409


@pytest.mark.parametrize("route", routes("POST"), ids=" ".join)
def test_f66_a_page_of_another_site_changes_nothing(
    live: Live, letters: dict[str, int], tokens: dict[str, str], route: tuple[str, str]
) -> None:
    cookie = {"Cookie": f"{COOKIE}={tokens[ADMIN]}"}
    foreign: list[dict[str, str]] = [
        {},
        {"Origin": "https://evil.test"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site", "Origin": live.api.base_url},
    ]
    for headers in foreign:
        answer = call(live, route, letters["known"], headers=cookie | headers)
        assert (answer.status_code, "another site" in answer.json()["detail"]) == (403, True)

    own = call(live, ("POST", route[1]), 999_999, headers=cookie | {"Origin": live.api.base_url})
    assert own.status_code == 404


@pytest.mark.parametrize(
    "query", ["limit=0", "limit=x", "state=lost", "order=odd", "report=%00", "cursor=x"]
)
def test_what_is_not_allowed_in_a_query_is_named(
    live: Live, tokens: dict[str, str], query: str
) -> None:
    path = f"/reports/api/dead-letters?{query}"

    answer = call(live, ("GET", path), 0, headers=bearer(tokens["viewer"]))

    assert answer.status_code == 422
    assert answer.json()["detail"].startswith(query.partition("=")[0])


@pytest.mark.parametrize("number", ["0", "-1", "x", "9" * 30])
def test_what_is_no_number_is_refused(live: Live, tokens: dict[str, str], number: str) -> None:
    path = f"/reports/api/dead-letters/{number}"
    answer = call(live, ("GET", path), 0, headers=bearer(tokens["viewer"]))
    assert answer.status_code == 422
