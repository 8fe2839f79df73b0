"""Where Airflow's UI shows the report center; one wrong view would drop the whole plugin."""

from __future__ import annotations

import pytest

from report_center.pages.shell import STATIC
from report_center.views import external_views


@pytest.mark.parametrize(
    ("base_url", "center"),
    [
        ("/", "/reports"),
        ("http://localhost:8080", "/reports"),
        ("https://example.com/airflow/", "/airflow/reports"),
    ],
)
def test_airflow_takes_every_view(base_url: str, center: str) -> None:
    from airflow.api_fastapi.core_api.datamodels.plugins import ExternalViewResponse

    views = external_views(base_url)
    taken = [ExternalViewResponse.model_validate(view) for view in views]
    assert [view.destination for view in taken] == ["nav", "dag", "dag_run"]
    assert len({view.url_route for view in taken}) == len(taken)
    assert all(view.href.startswith(f"{center}/") for view in taken)
    for view in taken:
        for icon in (view.icon, view.icon_dark_mode):
            assert icon is not None
            assert (STATIC / icon.removeprefix(f"{center}/static/")).exists()


def test_a_tab_names_its_dag_and_run() -> None:
    hrefs = [view["href"] for view in external_views("/")]
    assert hrefs == ["/reports/", "/reports/report/{DAG_ID}", "/reports/runs/{DAG_ID}/{RUN_ID}"]
