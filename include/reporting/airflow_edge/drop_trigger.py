"""The trigger that watches for a drop in S3; it only looks."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING, Any

from airflow.triggers.base import BaseTrigger, TriggerEvent

from reporting.airflow_edge.own_threads import in_own_thread
from reporting.core.service.watch import DONE, LATE, REFUSED, Patience, Watch
from reporting.errors import ReportError, TransientError

if TYPE_CHECKING:
    from reporting.core.fetch.s3_landing import Landing
    from reporting.core.fetch.s3_look import Look
    from reporting.core.fetch.s3_sought import Sought


class DropTrigger(BaseTrigger):
    """Looks ever less often until the drop is complete, or its time is over."""

    def __init__(
        self, sought: Mapping[str, Any], patience: Mapping[str, float], sign: str, lacks: str
    ) -> None:
        """Keep what to look for.

        Args:
            sought: fields of `Sought`.
            patience: fields of `Patience`.
            sign: of the look before.
            lacks: what that look has missed, for the log.
        """
        super().__init__()  # type: ignore[no-untyped-call]
        self.sought = dict(sought)
        self.patience = dict(patience)
        self.sign = sign
        self.lacks = lacks

    def serialize(self) -> tuple[str, dict[str, Any]]:
        """Return how to build this trigger again."""
        kind = type(self)
        names = ("sought", "patience", "sign", "lacks")
        return f"{kind.__module__}.{kind.__qualname__}", {n: getattr(self, n) for n in names}

    async def run(self) -> AsyncIterator[TriggerEvent]:
        """Look until the waiting ends; the event says how."""
        yield TriggerEvent(await self._ended())  # type: ignore[no-untyped-call]

    async def _ended(self) -> dict[str, Any]:
        landing, sought = self._landing()
        watch = Watch(Patience(**self.patience), time.time())
        self.log.info("Waits: %s.", self.lacks)
        while True:
            await asyncio.sleep(watch.pause(time.time()))  # a worker has just looked
            is_complete = False
            try:
                found = await in_own_thread(sought.conn_id, self._look, landing, sought)
                is_complete = not found.lacks
                self._note(found)
            except TransientError as error:
                self.log.warning("%s", error)  # it may be back before the time is over
            except ReportError as error:
                return self._event(REFUSED, str(error))
            if is_complete:
                return self._event(DONE)
            if time.time() >= self.patience["until"]:
                return self._event(LATE)

    def _look(self, landing: Landing, sought: Sought) -> Look:
        from reporting.core.fetch.s3_look import look

        return look(landing, sought, self.sign)

    def _note(self, found: Look) -> None:
        if found.lacks not in ("", self.lacks):
            self.log.info("Waits: %s.", found.lacks)
        self.sign, self.lacks = found.sign, found.lacks

    def _event(self, outcome: str, reason: str = "") -> dict[str, Any]:
        until = self.patience["until"]
        return {"outcome": outcome, "reason": reason, "sign": self.sign, "until": until}

    # Airflow is asked on the loop's own thread, as the triggerer requires; the store is not.
    def _landing(self) -> tuple[Landing, Sought]:
        from reporting.airflow_edge.s3_clients import s3_client
        from reporting.core.fetch.s3_landing import Landing
        from reporting.core.fetch.s3_sought import Sought

        sought = Sought(**self.sought)
        client = s3_client(sought.conn_id)
        return Landing(client, sought.bucket, sought.conn_id, sought.source), sought
