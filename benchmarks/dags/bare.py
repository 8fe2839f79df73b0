"""A DAG of the same shape as every report, whose tasks do nothing: the floor to stay near."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from airflow.sdk import DAG, BaseOperator, TriggerRule
from airflow.sdk.exceptions import AirflowSkipException

if TYPE_CHECKING:
    from airflow.sdk import Context


class Nothing(BaseOperator):
    """Does nothing, in a process of its own as every task."""

    def execute(self, context: Context) -> None:
        """Do nothing."""


class Skipped(BaseOperator):
    """Skips itself, as `compensate` does on the good path."""

    def execute(self, context: Context) -> None:
        """Skip."""
        raise AirflowSkipException("nothing to undo")


with DAG("bare", schedule=None, start_date=datetime(2013, 1, 1)) as dag:  # noqa: DTZ001
    names = ("init", "await_sources", "compute", "store", "deliver")
    init, wait, compute, store, deliver = (Nothing(task_id=name) for name in names)
    sources = ("flights", "weather", "planes", "airlines")
    fetches = [Nothing(task_id=f"fetch_{name}") for name in sources]
    compensate = Skipped(task_id="compensate", trigger_rule=TriggerRule.ALL_DONE)
    init >> fetches >> wait >> compute >> store >> deliver
    [init, *fetches, wait, compute, store] >> compensate
