"""Where Airflow's own UI shows the report center: in its navigation, and as a tab of DAG and run.

One view of a wrong shape would drop the whole plugin from Airflow's list, so a test holds these
against Airflow's own model.
"""

from typing import Any
from urllib.parse import urlsplit

CENTER = "/reports"


def external_views(base_url: str) -> list[dict[str, Any]]:
    """Return the views.

    Args:
        base_url: where Airflow is reached; only its path matters.
    """
    center = urlsplit(base_url).path.rstrip("/") + CENTER
    icons = {
        "icon": f"{center}/static/icon.svg",
        "icon_dark_mode": f"{center}/static/icon-dark.svg",
    }
    places = (
        ("Reports", "nav", "reports", f"{center}/"),
        ("Report", "dag", "report", f"{center}/report/{{DAG_ID}}"),
        ("Report run", "dag_run", "report-run", f"{center}/runs/{{DAG_ID}}/{{RUN_ID}}"),
    )
    return [
        {
            "name": name,
            "destination": destination,
            "url_route": route,
            "href": href,
            "nav_top_level": destination == "nav",
            **icons,
        }
        for name, destination, route, href in places
    ]
