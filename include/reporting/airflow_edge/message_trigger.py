"""The trigger that watches a reply queue; it takes signs of life, and leaves parts to the task."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING, Any

from airflow.triggers.base import BaseTrigger, TriggerEvent

from reporting.airflow_edge.own_threads import in_own_thread
from reporting.core.service.watch import DONE, LOST, Patience, Watch
from reporting.errors import TransientError

if TYPE_CHECKING:
    from reporting.core.service.broker import Broker
    from reporting.core.service.seen import Seen


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

        event = await self._wait(broker(self.conn_id))
        yield TriggerEvent({"outcome": event})  # type: ignore[no-untyped-call]

    async def _wait(self, at: Broker) -> str:
        watch, signs, is_lost = Watch(Patience(**self.patience), time.time()), 0, False
        while True:
            try:
                seen = await in_own_thread(self.conn_id, self._look, at)
            except TransientError as error:
                self.log.warning("%s", error)  # it may be back before the time is over
                is_lost, found = True, None
            else:
                signs += seen.signs
                found = _outcome(seen, is_lost=is_lost)
            watch.note(str(signs), time.time())
            if outcome := found or watch.over(time.time()):
                return outcome
            await asyncio.sleep(watch.pause(time.time()))

    def _look(self, at: Broker) -> Seen:
        from reporting.core.service.seen import see

        with at.channel() as channel:
            return see(channel, self.key)


def _outcome(seen: Seen, *, is_lost: bool) -> str | None:
    if seen.has_parts:
        return DONE
    # Whether the queue is lost, too, is for the task to find out; it asks again then.
    return LOST if is_lost or not seen.has_queue else None
