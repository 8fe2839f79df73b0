"""Every route of the report center for everybody there is, from the app's own list (F66)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from benchmarks.many_runs import Many

from embedded_stack.stack import Stack
from tests.integration.center_site import (
    NO_RUNS,
    OTHERS,
    OURS,
    OUTSIDER,
    TEAM_OP,
    Site,
    letter_of,
    release_of,
    site,
)
from tests.integration.metadata import Metadata, airflow_tables, metadata
from tests.web_routes import RULES, Rule

REFUSED = {401, 403, 404}
TITLE = "Report 1"
EVERYBODY = ("viewer", "user", "op", "admin", OUTSIDER, TEAM_OP)
# Who is let in, by the rule of the route; to all others the thing is not there, or forbidden.
LET_IN: dict[Rule, set[str]] = {
    "anyone": set(EVERYBODY),
    "nothing": set(),
    "reader": {"viewer", "user", "op", "admin"},
    "changer": {"user", "op", "admin"},
    "keeper": {"op", "admin"},
    "keeper changes": {"op", "admin"},
}
SECTIONS: tuple[Rule, ...] = ("reader", "changer")


@pytest.fixture(scope="module")
def known(stack: Stack) -> Iterator[Metadata]:
    """Two reports with runs and releases."""
    with (
        airflow_tables(stack) as template,
        metadata(stack, template, Many(reports=2, runs=20)) as found,
    ):
        yield found


@pytest.fixture(scope="module")
def served(known: Metadata) -> Iterator[tuple[Site, dict[str, object]]]:
    """The site, and the values of OURS for every address."""
    patch = pytest.MonkeyPatch()
    values: dict[str, object] = {
        "report": OURS,
        "run_id": "run_2",
        "number": letter_of(known, OURS),
        "release_id": release_of(known, OURS),
        "path:path": "no/such",
    }
    with site(known, patch) as found:
        yield found, values
    patch.undo()


@pytest.fixture(scope="module")
def unclaimed(known: Metadata) -> int:
    """Return the number of a letter of no report."""
    return letter_of(known, None)


def address(path: str, values: dict[str, object]) -> str:
    """Return a route's address; its `name` is a file's or a report's, by what stands before it."""
    name = {"files": "report_totals.csv", "static": "style.css"}.get(path.split("/")[-2], OURS)
    for key, value in {**values, "name": name}.items():
        path = path.replace(f"{{{key}}}", str(value))
    assert "{" not in path, "a new kind of name in an address: give it a value here"
    return f"{path}?number={values['number']}" if path.endswith("/several") else path


def of_no_effect(path: str, values: dict[str, object]) -> dict[str, object]:
    """Return what is sent to a route: refused where it is allowed, or without a consequence."""
    if path.startswith("/reports/api/"):
        return {"json": {"params": {"no_such": 1}} if path.endswith("/runs") else {}}
    # A period that is none, and a letter that was discarded before.
    return {"data": {"period": "none", "action": "discard", "number": values["number"]}}


@pytest.mark.parametrize("route", RULES, ids=" ".join)
def test_f66_nobody_gets_in_without_a_login(
    served: tuple[Site, dict[str, object]], route: tuple[str, str]
) -> None:
    found, values = served
    method, path = route
    for headers in ({}, {"Authorization": "Bearer wrong"}, {"Cookie": "_token=wrong"}):
        answer = found.ask(method, address(path, values), None, headers=headers)
        assert answer.status_code == 401, path
        assert TITLE not in answer.text


@pytest.mark.parametrize("route", RULES, ids=" ".join)
def test_f66_everybody_gets_what_the_rule_of_the_route_says(
    served: tuple[Site, dict[str, object]], route: tuple[str, str]
) -> None:
    found, values = served
    method, path = route
    sent = of_no_effect(path, values) if method == "POST" else {}
    statuses = {
        user: found.ask(method, address(path, values), user, **sent).status_code
        for user in EVERYBODY
    }
    let_in = {user for user, status in statuses.items() if status not in REFUSED}
    assert let_in == LET_IN[RULES[route]], statuses
    if RULES[route] in SECTIONS:
        assert (statuses[OUTSIDER], statuses[TEAM_OP]) == (404, 404)
    assert 500 not in statuses.values()


@pytest.mark.parametrize("user", [OUTSIDER, TEAM_OP])
@pytest.mark.parametrize("what", ["reports", "runs", "releases", "dead-letters"])
def test_f66_a_list_leaves_out_what_may_not_be_read(
    served: tuple[Site, dict[str, object]], what: str, user: str
) -> None:
    """Who may list DAGs may not read all: Airflow says yes to the first for one DAG's right."""
    found, _ = served
    path = f"/reports/api/{what}" + ("?state=discarded" if what == "dead-letters" else "")
    assert OURS in found.ask("GET", path, "viewer").text
    seen = found.ask("GET", path, user)
    assert seen.status_code == 200
    assert OURS not in seen.text
    assert (OTHERS in seen.text) == (what != "dead-letters")


@pytest.mark.parametrize("user", [OUTSIDER, TEAM_OP])
@pytest.mark.parametrize("page", ["", "runs", "dead-letters", "health"])
def test_f66_a_page_leaves_out_what_may_not_be_read(
    served: tuple[Site, dict[str, object]], page: str, user: str
) -> None:
    found, _ = served
    assert OURS not in found.ask("GET", f"/reports/{page}", user).text


@pytest.mark.parametrize("user", [OUTSIDER, TEAM_OP])
def test_f66_asking_for_anothers_report_by_a_filter_gives_nothing(
    served: tuple[Site, dict[str, object]], user: str
) -> None:
    found, _ = served
    for what in ("runs", "releases"):
        answer = found.ask("GET", f"/reports/api/{what}?report={OURS}", user).json()
        assert answer[what] == []


def test_f66_what_belongs_to_no_report_is_for_who_sees_all_of_them(
    served: tuple[Site, dict[str, object]], unclaimed: int
) -> None:
    found, _ = served
    path = f"/reports/api/dead-letters/{unclaimed}"
    sent = {"data": {"action": "discard", "number": unclaimed}}
    for user in ("viewer", "user", OUTSIDER, TEAM_OP):
        for method, address in (("GET", path), ("POST", f"{path}/discard")):
            assert found.ask(method, address, user).status_code == 404, (user, address)
        assert found.ask("GET", f"/reports/dead-letters/{unclaimed}", user).status_code == 404
        several = found.ask("POST", "/reports/dead-letters/several", user, **sent)
        assert several.status_code == 404
    assert found.ask("GET", path, "op").status_code == 200
    assert found.ask("POST", f"{path}/discard", "op").status_code == 409  # it was before


def test_f66_runs_are_for_who_may_read_runs(served: tuple[Site, dict[str, object]]) -> None:
    found, _ = served
    assert found.ask("GET", f"/reports/api/reports/{OURS}", NO_RUNS).status_code == 200
    for path in ("/runs", "/reports"):
        assert OURS not in found.ask("GET", f"/reports/api{path}", NO_RUNS).text
    for path in ("", "/progress", "/result"):
        address = f"/reports/api/reports/{OURS}/runs/run_2{path}"
        assert found.ask("GET", address, NO_RUNS).status_code == 404
    assert found.ask("GET", f"/reports/runs/{OURS}/run_2", NO_RUNS).status_code == 404
    for page in ("", "runs"):
        assert f"/reports/runs/{OURS}/" in found.ask("GET", f"/reports/{page}", "viewer").text
        assert f"/reports/runs/{OURS}/" not in found.ask("GET", f"/reports/{page}", NO_RUNS).text


@pytest.mark.parametrize("user", ["op", "viewer"])
def test_a_list_asks_for_rights_a_few_times_however_many_dags_there_are(
    served: tuple[Site, dict[str, object]], known: Metadata, user: str
) -> None:
    found, _ = served
    found.ask("GET", "/reports/api/runs", user)
    known.queries.clear()
    found.ask("GET", "/reports/api/runs", user)
    about_rights = [query for query in known.queries if "dag_bundle" in query]
    assert 1 <= len(about_rights) <= 2
