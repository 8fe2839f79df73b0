"""Whether a task is still wanted: Airflow marks or clears it before its process dies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reporting.airflow_edge.run_context import task_states
from reporting.errors import TransientError

if TYPE_CHECKING:
    from airflow.sdk import Context


def is_wanted(context: Context) -> bool:
    """Say whether the task was neither marked, cleared nor deleted since it began."""
    return _state(context) == "running"


def demand_wanted(context: Context, so: str) -> None:
    """Refuse to go on for a task that was marked, cleared or deleted while its process lives.

    Args:
        context: of the task.
        so: what was left undone because of it.

    Raises:
        TransientError: it is not wanted any more.
    """
    state = _state(context)
    if state != "running":
        ti: Any = context["ti"]
        raise TransientError(f"Task {ti.task_id} is {state or 'gone'} in Airflow by now; {so}.")


def _state(context: Context) -> str | None:
    ti: Any = context["ti"]
    return task_states(context).get(ti.task_id)
