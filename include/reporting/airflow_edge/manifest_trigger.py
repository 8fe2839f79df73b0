"""The trigger that watches the sources of one run."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from airflow.triggers.base import BaseTrigger, TaskSuccessEvent, TriggerEvent

from reporting.airflow_edge.own_threads import in_own_thread
from reporting.core.completeness import Expected, Outlook, outlook_on
from reporting.core.run import RunId
from reporting.core.staging import Staging

if TYPE_CHECKING:
    from reporting.core.states import TaskStates

FIRST_PAUSE = 0.5
LONGEST_PAUSE = 3.0


class ManifestTrigger(BaseTrigger):
    """Ends the task once every source is settled; hands over at once when one is lost."""

    def __init__(self, sources: Sequence[dict[str, Any]]) -> None:
        """Keep what to look for: name, required and min_rows of every source."""
        super().__init__()  # type: ignore[no-untyped-call]
        self.sources = list(sources)

    def serialize(self) -> tuple[str, dict[str, Any]]:
        """Return how to build this trigger again."""
        kind = type(self)
        return f"{kind.__module__}.{kind.__qualname__}", {"sources": self.sources}

    async def run(self) -> AsyncIterator[TriggerEvent]:
        """Look until all is settled, ever less often; success ends the task without a worker."""
        pause = FIRST_PAUSE
        while True:
            outlook = await self._look()
            if outlook is not None and outlook.lost:
                yield TriggerEvent({"lost": dict(outlook.lost)})  # type: ignore[no-untyped-call]
                return
            if outlook is not None and outlook.is_complete:
                missing: Any = dict(outlook.missing)
                yield TaskSuccessEvent(xcoms={"return_value": {"missing": missing}})
                return
            await asyncio.sleep(pause)
            pause = min(pause * 1.2, LONGEST_PAUSE)

    async def _look(self) -> Outlook | None:
        from botocore.exceptions import BotoCoreError, ClientError

        # Airflow is asked on the loop's own thread, as the triggerer requires; the store is not.
        states = self._task_states()
        expected = [Expected(**source) for source in self.sources]
        staging = self._staging
        try:
            return await in_own_thread(
                staging.bucket.name, outlook_on, expected, states, staging.manifest
            )
        except (BotoCoreError, ClientError, OSError) as error:
            # It may be back before the time is over; what is staged waits.
            self.log.warning("The store does not answer: %s.", type(error).__name__)
            return None

    @cached_property
    def _staging(self) -> Staging:
        from reporting.airflow_edge.connections import staging_bucket

        ti: Any = self.task_instance
        return Staging(staging_bucket(), RunId(ti.dag_id, ti.run_id))

    def _task_states(self) -> TaskStates:
        from airflow.sdk.execution_time.task_runner import RuntimeTaskInstance

        ti: Any = self.task_instance
        found: Any = RuntimeTaskInstance.get_task_states(dag_id=ti.dag_id, run_ids=[ti.run_id])
        states: TaskStates = found.get(ti.run_id, {})
        return states
