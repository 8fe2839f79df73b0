"""`fetch_<source>` of what may come later: asks or looks, waits in the triggerer, collects."""

from __future__ import annotations

from datetime import timedelta
from importlib import import_module
from typing import TYPE_CHECKING, Any

from reporting.airflow_edge.step_end import end_told
from reporting.airflow_edge.step_operator import StepOperator

if TYPE_CHECKING:
    from airflow.sdk import Context
    from airflow.triggers.base import BaseTrigger

    from reporting.definition.report import Report
    from reporting.definition.source import Source

# The trigger ends the waiting itself; this is for a triggerer that is gone.
MARGIN = timedelta(minutes=10)


class LaterOperator(StepOperator):
    """Holds a worker slot only while it asks or looks, and while it takes what has come."""

    def __init__(self, *, report: Report, source: Source, steps: str, **kwargs: Any) -> None:
        """Keep what to fetch.

        Args:
            report: the report.
            source: what to fetch.
            steps: module of `reporting.airflow_edge.steps` whose `ask` and `collect` return counts
                when the fetch is done, else the trigger to wait for.
            kwargs: further arguments of the operator.
        """
        super().__init__(
            report=report,
            step=self._ask,
            task_id=source.task_id,
            execution_timeout=source.time_limit,
            pool=source.pool,
            **kwargs,
        )
        self.source = source
        self.steps = steps

    def resume(self, context: Context, event: dict[str, Any] | None = None) -> Any:
        """Go on when the waiting has ended, however it did."""
        with end_told(self.report, context) as ending, self.failure_kept(context):
            found = self._module().collect(self.source, self.report, context, event or {})
            ending.result = self._or_wait(found)
            return ending.result

    def _ask(self, report: Report, context: Context) -> Any:
        return self._or_wait(self._module().ask(self.source, report, context))

    def _or_wait(self, found: dict[str, Any] | BaseTrigger) -> Any:
        if isinstance(found, dict):
            return found
        timeout = self.source.longest_wait + MARGIN
        return self.defer(trigger=found, method_name="resume", timeout=timeout)

    def _module(self) -> Any:
        """Import the steps only when they run, so that parsing a DAG file stays cheap."""
        return import_module(f"reporting.airflow_edge.steps.{self.steps}")
