"""The trigger that watches the sources of one run."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any

from airflow.triggers.base import BaseTrigger, TaskSuccessEvent, TriggerEvent

from reporting.core.completeness import (
    COMPLETE,
    Expected,
    Verdict,
    verdict_on_manifest,
    verdict_on_task,
)
from reporting.core.run import RunId
from reporting.core.staging import Staging
from reporting.core.states import TaskStates, fetch_task

FIRST_PAUSE = 0.5
LONGEST_PAUSE = 3.0


class ManifestTrigger(BaseTrigger):
    """Ends the task with success once every source is settled and no required one is lost."""

    def __init__(self, sources: Sequence[dict[str, Any]]) -> None:
        """Keep what to look for: name, required and min_rows of every source."""
        super().__init__()  # type: ignore[no-untyped-call]
        self.sources = list(sources)
        self._staging: Staging | None = None
        self._judged: dict[str, Verdict] = {}

    def serialize(self) -> tuple[str, dict[str, Any]]:
        """Return how to build this trigger again."""
        kind = type(self)
        return f"{kind.__module__}.{kind.__qualname__}", {"sources": self.sources}

    async def run(self) -> AsyncIterator[TriggerEvent]:
        """Look until all is settled, ever less often, and end at once when a source is lost."""
        pause = FIRST_PAUSE
        expected = [Expected(**source) for source in self.sources]
        while True:
            verdicts = await self._look(expected)
            faults: dict[str, Any] = {name: v.fault for name, v in verdicts.items() if v.fault}
            required = {e.name for e in expected if e.required}
            if lost := {name: fault for name, fault in faults.items() if name in required}:
                yield TriggerEvent({"lost": lost})  # type: ignore[no-untyped-call]
                return
            if all(verdict.settled for verdict in verdicts.values()):
                yield TaskSuccessEvent(xcoms={"return_value": {"missing": faults}})
                return
            await asyncio.sleep(pause)
            pause = min(pause * 1.2, LONGEST_PAUSE)

    async def _look(self, expected: list[Expected]) -> dict[str, Verdict]:
        states = self._task_states()
        verdicts = {e.name: verdict_on_task(states.get(fetch_task(e.name))) for e in expected}
        for source in expected:
            if verdicts[source.name] != COMPLETE:
                self._judged.pop(source.name, None)
            elif source.name not in self._judged:
                self._judged[source.name] = await self._judge(source)
        return verdicts | self._judged

    async def _judge(self, source: Expected) -> Verdict:
        """Read the manifest of a fetch that succeeded, once per success."""
        manifest = await asyncio.to_thread(self._area().manifest, source.name)
        return verdict_on_manifest(source, manifest)

    def _area(self) -> Staging:
        # The connection is asked for on the loop's own thread, as the triggerer requires.
        from reporting.airflow_edge.connections import staging_bucket

        if self._staging is None:
            ti: Any = self.task_instance
            self._staging = Staging(staging_bucket(), RunId(ti.dag_id, ti.run_id))
        return self._staging

    def _task_states(self) -> TaskStates:
        from airflow.sdk.execution_time.task_runner import RuntimeTaskInstance

        ti: Any = self.task_instance
        found: Any = RuntimeTaskInstance.get_task_states(dag_id=ti.dag_id, run_ids=[ti.run_id])
        states: TaskStates = found.get(ti.run_id, {})
        return states
