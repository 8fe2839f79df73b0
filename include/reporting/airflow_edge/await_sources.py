"""`await_sources`: waits in the triggerer until every source has a committed manifest.

The task starts in the triggerer and, when all is well, ends there: no worker slot is held and
no worker process is started for waiting. Only a failure goes to a worker, which words it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from airflow.sdk import BaseOperator, TriggerRule
from airflow.triggers.base import StartTriggerArgs

from reporting.airflow_edge.run_context import FAILURE, failure_of
from reporting.core.redact import without_secrets
from reporting.errors import ContractError

if TYPE_CHECKING:
    from airflow.sdk import Context

    from reporting.definition.report import Report

TRIGGER = "reporting.airflow_edge.manifest_trigger.ManifestTrigger"


class AwaitSourcesOperator(BaseOperator):
    """Succeeds once all required sources are complete; fails at once when one cannot come."""

    start_from_trigger = True

    def __init__(self, *, report: Report, **kwargs: Any) -> None:
        """Describe the sources to the trigger."""
        sources = [
            {"name": s.name, "required": s.required, "min_rows": s.min_rows} for s in report.sources
        ]
        self.start_trigger_args = StartTriggerArgs(
            trigger_cls=TRIGGER,
            trigger_kwargs={"sources": sources},
            next_method="execute_failed",
            timeout=report.run_limit,
        )
        # one_done: a source that fails for good is found while the others still run
        super().__init__(trigger_rule=TriggerRule.ONE_DONE, **kwargs)

    def execute_failed(self, context: Context, event: dict[str, Any] | None = None) -> None:
        """Raise the trigger's verdict, with the reason the failed fetch has left.

        Raises:
            ContractError: a required source is missing or incomplete.
        """
        lost: dict[str, str] = (event or {}).get("lost", {})
        ti: Any = context["ti"]
        reasons = {
            name: failure_of(context, f"fetch_{name}", ti.dag_id, ti.run_id) or verdict
            for name, verdict in lost.items()
        }
        listed = "; ".join(f"{name}: {reason}" for name, reason in reasons.items())
        message = f"Required source {listed}"
        ti.xcom_push(key=FAILURE, value=without_secrets(message))
        raise ContractError(message)
