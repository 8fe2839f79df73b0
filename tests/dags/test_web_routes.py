"""What holds for every web route of the package, so that no new one is forgotten (F66)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.web_routes import RULES, SIGNED


def routes(app: Any, prefix: str) -> Iterator[tuple[str, str, Any]]:
    for route in app.routes:
        for method in route.methods:
            yield method, prefix + route.path, route


def calls(route: Any) -> set[str]:
    """Return the functions that run before a route does."""
    return {dependency.call.__name__ for dependency in route.dependant.dependencies}


def test_f66_every_route_has_a_rule() -> None:
    from report_center.app import report_center_app
    from reporting.airflow_edge.callback_address import ROUTE
    from reporting.airflow_edge.callback_app import callback_app

    ours = [(method, path) for method, path, _ in routes(report_center_app(), "/reports")]
    public = [
        (method, path)
        for method, path, _ in routes(callback_app(), ROUTE)
        if path.startswith(f"{ROUTE}/{{")
    ]
    assert sorted(ours) == sorted(RULES)
    assert public == SIGNED


def test_f66_every_route_asks_who_is_there_and_every_change_which_page_asks() -> None:
    from report_center.app import report_center_app

    for method, _, route in routes(report_center_app(), ""):
        assert "rights_of" in calls(route)
        assert ("demand_own_page" in calls(route)) == (method != "GET")


@pytest.mark.parametrize(
    ("headers", "is_own"),
    [
        ({"authorization": "Bearer x"}, True),
        ({"authorization": "Bearer x", "sec-fetch-site": "cross-site"}, True),
        ({"authorization": "Basic x"}, False),
        ({"sec-fetch-site": "same-origin"}, True),
        ({"sec-fetch-site": "same-site"}, False),
        ({"sec-fetch-site": "none"}, False),
        ({"sec-fetch-site": "cross-site", "origin": "http://a:1", "host": "a:1"}, False),
        ({"origin": "http://a:1", "host": "a:1"}, True),
        ({"origin": "http://b:1", "host": "a:1"}, False),
        ({"origin": "http://a:2", "host": "a:1"}, False),
        ({"origin": "null", "host": "a:1"}, False),
        ({"host": "a:1"}, False),
        ({"origin": "", "host": ""}, False),
        ({}, False),
    ],
)
def test_f66_a_change_comes_from_our_own_page_or_with_a_token(
    headers: dict[str, str], is_own: bool
) -> None:
    from reporting.airflow_edge.web_rights import is_own_page

    assert is_own_page(headers) is is_own
