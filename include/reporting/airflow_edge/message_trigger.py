"""The trigger that watches a reply queue; it only counts."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING, Any

from airflow.triggers.base import BaseTrigger, TriggerEvent

from reporting.core.service.watch import DONE, LATE, STALLED, Patience, Watch
from reporting.errors import TransientError

if TYPE_CHECKING:
    from reporting.core.service.broker import Broker


class MessageTrigger(BaseTrigger):
    """Looks ever less often until a reply waits, or the service has been silent for too long."""

    def __init__(self, conn_id: str, key: str, patience: Mapping[str, float]) -> None:
        """Keep what to look at.

        Args:
            conn_id: Airflow connection of the broker.
            key: of the request.
            patience: fields of `Patience`.
        """
        super().__init__()  # type: ignore[no-untyped-call]
        self.conn_id = conn_id
        self.key = key
        self.patience = dict(patience)

    def serialize(self) -> tuple[str, dict[str, Any]]:
        """Return how to build this trigger again."""
        kind = type(self)
        names = ("conn_id", "key", "patience")
        return f"{kind.__module__}.{kind.__qualname__}", {n: getattr(self, n) for n in names}

    async def run(self) -> AsyncIterator[TriggerEvent]:
        """Look until the waiting ends; the event says how."""
        from reporting.airflow_edge.connections import broker

        at, watch = broker(self.conn_id), Watch(Patience(**self.patience), time.time())
        while True:
            count: int | None = 0
            try:
                count = await asyncio.to_thread(self._count, at)
            except TransientError as error:
                self.log.warning("%s", error)  # it may be back before the time is over
            # A queue that is gone is for the task to find: it has more to say about it.
            outcome = DONE if count is None or count else watch.judge(None, time.time())
            if outcome in (DONE, STALLED, LATE):
                yield TriggerEvent({"outcome": outcome})  # type: ignore[no-untyped-call]
                return
            await asyncio.sleep(watch.pause(time.time()))

    def _count(self, at: Broker) -> int | None:
        from reporting.core.service.broker import count_replies

        with at.channel() as channel:
            return count_replies(channel, self.key)
