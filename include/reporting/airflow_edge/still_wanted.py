"""Whether a task is still wanted: Airflow marks or clears it before its process dies."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from reporting.airflow_edge.run_context import task_states
from reporting.errors import TransientError

if TYPE_CHECKING:
    from airflow.sdk import Context


def demand_wanted(context: Context, so: str) -> None:
    """Refuse to go on for a task that was marked, cleared or deleted while its process lives.

    Args:
        context: of the task.
        so: what was left undone because of it.

    Raises:
        TransientError: it is not wanted any more.
    """
    ti: Any = context["ti"]
    state = task_states(context).get(ti.task_id)
    if state != "running":
        raise TransientError(f"Task {ti.task_id} is {state or 'gone'} in Airflow by now; {so}.")


def commit_guard(context: Context) -> Callable[[], None]:
    """Return the last question before a commit."""
    return partial(demand_wanted, context, "nothing was committed")
