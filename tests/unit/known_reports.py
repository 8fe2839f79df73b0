"""An Airflow that knows two reports."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from reporting.core.airflow_api import AirflowApi, NotFoundError
from reporting.core.airflow_names import TAG


@dataclass
class KnownReports(AirflowApi):
    """Answers what it is asked about the reports `airline` and `sales`."""

    base_url: str = "http://airflow"
    user: str = "ann"
    password: str = "-"
    names: tuple[str, ...] = ("airline", "sales")

    def get(self, path: str, **_: Any) -> dict[str, Any]:
        """Answer for one DAG, or for files with errors, of which there are none."""
        for name in self.names:
            if path == f"dags/{name}/details":
                return {"tags": [{"name": TAG}]}
        raise NotFoundError(path)

    def pages(self, path: str, items: str, **_: Any) -> Iterator[dict[str, Any]]:  # noqa: ARG002
        """List the DAGs; there are no files with errors."""
        return iter([{"dag_id": one} for one in self.names] if path == "dags" else [])
