"""`await_sources`: waits until every source has a committed, sufficient manifest.

It starts when the first fetch has ended, so that a source that is lost is found while the others
still run. It looks once on a worker, which is all a quick report needs, then waits in the
triggerer, where it holds no worker slot and where a success ends it without a worker.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from airflow.sdk import TriggerRule

from reporting.airflow_edge.run_context import failure_of, task_states
from reporting.airflow_edge.step_operator import StepOperator
from reporting.core.completeness import Expected, outlook_on
from reporting.core.run import RunId
from reporting.errors import ContractError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from airflow.sdk import Context

    from reporting.definition.report import Report


class AwaitSourcesOperator(StepOperator):
    """Succeeds once all required sources are complete; fails at once when one cannot come."""

    def __init__(self, *, report: Report, **kwargs: Any) -> None:
        """Keep what to wait for."""
        super().__init__(
            report=report,
            step=self._look,
            trigger_rule=TriggerRule.ONE_DONE,
            execution_timeout=report.run_limit,
            **kwargs,
        )

    def execute(self, context: Context) -> dict[str, Any]:
        """Look once; wait in the triggerer when sources may still come.

        How it ends is not told: a trigger ends it, too, and has no way to.

        Returns:
            The optional sources the run goes on without, with the reason.

        Raises:
            ContractError: a required source is missing or incomplete, or staged data is gone.
        """
        with self.failure_kept(context):
            return self._look(self.report, context)

    def resume_execution(
        self, next_method: str, next_kwargs: dict[str, Any] | None, context: Context
    ) -> Any:
        """Go on when the waiting has ended; also a trigger that has died leaves a reason."""
        with self.failure_kept(context):
            return super().resume_execution(next_method, next_kwargs, context)

    def execute_failed(self, context: Context, event: dict[str, Any] | None = None) -> None:
        """Raise what the trigger has found.

        Raises:
            ContractError: a required source is missing or incomplete, or staged data is gone.
        """
        self._fail(context, (event or {}).get("lost", {}))

    def _look(self, _report: Report, context: Context) -> dict[str, Any]:
        from reporting.airflow_edge.connections import staging_bucket
        from reporting.core.staging import Staging

        ti: Any = context["ti"]
        staging = Staging(staging_bucket(), RunId(ti.dag_id, ti.run_id))
        outlook = outlook_on(self._expected(), task_states(context), staging.manifest)
        if outlook.lost:
            self._fail(context, outlook.lost)
        if outlook.pending:
            self._wait(outlook.pending)
        return {"missing": dict(outlook.missing)}

    def _wait(self, pending: tuple[str, ...]) -> None:
        from reporting.airflow_edge.manifest_trigger import ManifestTrigger

        self.log.info("Waiting for %s.", ", ".join(pending))
        sources = [vars(source) for source in self._expected()]
        self.defer(
            trigger=ManifestTrigger(sources),
            method_name="execute_failed",
            timeout=self.report.run_limit,
        )

    def _fail(self, context: Context, lost: Mapping[str, str]) -> None:
        ti: Any = context["ti"]
        reasons = {
            name: failure_of(context, f"fetch_{name}", ti.dag_id, ti.run_id) or fault
            for name, fault in lost.items()
        }
        listed = "; ".join(f"{name}: {reason}" for name, reason in reasons.items())
        is_required = all(source.required for source in self._expected() if source.name in lost)
        raise ContractError(f"{'Required source' if is_required else 'Source'} {listed}")

    def _expected(self) -> list[Expected]:
        return [Expected(s.name, s.required, s.min_rows) for s in self.report.sources]
