"""`fetch_<source>` of a job: asks for it, waits in the triggerer, then stages its result."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from reporting.airflow_edge.step_operator import StepOperator

if TYPE_CHECKING:
    from airflow.sdk import Context

    from reporting.definition.jobs import HttpJobSource
    from reporting.definition.report import Report

# The trigger ends the waiting itself; this is for a triggerer that is gone.
MARGIN = timedelta(minutes=10)


class JobOperator(StepOperator):
    """Holds a worker slot only while it asks and while it reads the result."""

    def __init__(self, *, report: Report, source: HttpJobSource, **kwargs: Any) -> None:
        """Keep what to fetch."""
        super().__init__(
            report=report,
            step=self._ask,
            task_id=source.task_id,
            execution_timeout=source.time_limit,
            pool=source.pool,
            **kwargs,
        )
        self.source = source

    def resume(self, context: Context, event: dict[str, Any] | None = None) -> Any:
        """Go on when the waiting has ended, however it did."""
        from reporting.airflow_edge.steps.fetch_job import collect

        with self.failure_kept(context):
            return collect(self.source, self.report, context, event or {})

    def _ask(self, report: Report, context: Context) -> Any:
        from reporting.airflow_edge.job_trigger import JobTrigger
        from reporting.airflow_edge.steps.fetch_job import ask, collect

        waiting = ask(self.source, report, context)
        if waiting.event is not None:
            return collect(self.source, report, context, waiting.event)
        return self.defer(
            trigger=JobTrigger(waiting.watched),
            method_name="resume",
            timeout=self.source.time_limit + MARGIN,
        )
