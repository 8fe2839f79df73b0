"""No web route without a login (F66)."""

from __future__ import annotations

import pytest
import requests

from tests.e2e.live import Live

PRIVATE = ["/api/v2/dags", "/api/v2/plugins", "/ui/config", "/api/v2/connections"]


@pytest.mark.parametrize("path", PRIVATE)
@pytest.mark.parametrize("token", [None, "wrong"])
def test_airflow_asks_for_a_login(live: Live, path: str, token: str | None) -> None:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    answer = requests.get(live.api.base_url + path, headers=headers, timeout=10)
    assert answer.status_code in (401, 403)


def test_our_plugin_is_loaded_and_adds_nothing_but_its_routes_and_views(live: Live) -> None:
    found = {plugin["name"]: plugin for plugin in live.api.pages("plugins", "plugins")}
    ours = found["reporting"]
    assert ours["timetables"] == ["reporting.airflow_edge.timetable.EndingTimetable"]
    assert [app["url_prefix"] for app in ours["fastapi_apps"]] == [
        "/reports/api/callbacks",
        "/reports",
    ]
    assert {view["destination"] for view in ours["external_views"]} == {"nav", "dag", "dag_run"}
    for kind in ("fastapi_root_middlewares", "react_apps"):
        assert ours[kind] == []


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/reports/api/callbacks/x", 405),
        ("POST", "/reports/api/callbacks/", 404),
        # Signed for nobody: the address is the login of a callback.
        ("POST", "/reports/api/callbacks/x", 403),
    ],
)
def test_f66_a_callback_without_its_address_gets_nowhere(
    live: Live, method: str, path: str, status: int
) -> None:
    answer = requests.request(method, live.api.base_url + path, json={}, timeout=10)

    assert answer.status_code == status
