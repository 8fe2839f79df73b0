"""What Airflow knows of a run, as the core takes it."""

from __future__ import annotations

from typing import Any

from reporting.airflow_edge.run_context import UNDER_WAY, identity_of
from reporting.core.reconcile.installation import Standing


def standing_in(dag_run: Any) -> Standing:
    """Return what is known of a DAG run."""
    state = dag_run.state
    is_green = state == "success"
    return Standing(identity_of(dag_run), state in UNDER_WAY, dag_run.end_date, is_green)
