"""`fetch_<source>` of messages: asks, waits in the triggerer, and takes what has come."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from reporting.airflow_edge.step_operator import StepOperator

if TYPE_CHECKING:
    from airflow.sdk import Context

    from reporting.definition.messages import MessageSource
    from reporting.definition.report import Report

# The trigger ends the waiting itself; this is for a triggerer that is gone.
MARGIN = timedelta(minutes=10)


class MessageOperator(StepOperator):
    """Holds a worker slot only while it asks and while it takes replies."""

    def __init__(self, *, report: Report, source: MessageSource, **kwargs: Any) -> None:
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
        from reporting.airflow_edge.steps.fetch_messages import collect

        with self.failure_kept(context):
            return self._or_wait(collect(self.source, self.report, context, event or {}))

    def _ask(self, report: Report, context: Context) -> Any:
        from reporting.airflow_edge.steps.fetch_messages import ask

        return self._or_wait(ask(self.source, report, context))

    def _or_wait(self, found: Any) -> Any:
        from reporting.airflow_edge.message_trigger import MessageTrigger
        from reporting.airflow_edge.steps.fetch_messages import Waiting

        if not isinstance(found, Waiting):
            return found
        return self.defer(
            trigger=MessageTrigger(found.conn_id, found.key, found.patience),
            method_name="resume",
            timeout=self.source.time_limit + MARGIN,
        )
