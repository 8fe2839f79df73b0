"""Watches a queue of upstream events: a message is acknowledged when its runs exist."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from airflow.triggers.base import BaseEventTrigger, TriggerEvent

from reporting.airflow_edge.own_threads import in_own_thread
from reporting.core.event_standing import Handover, Next, Standing, standing_of
from reporting.core.redact import without_secrets
from reporting.core.upstream_event import Happened
from reporting.errors import ReportError

if TYPE_CHECKING:
    from reporting.core.service.event_queue import Taken

LOOK_SECONDS, LONGEST_SECONDS = 1.0, 10.0  # far less than the heartbeat of the connection
AWAY_SECONDS = 5.0
# How far an event can lie back that was told before the triggerer was killed.
LOOK_BACK, CLOCKS_APART = timedelta(days=7), timedelta(minutes=1)


class UpstreamEventTrigger(BaseEventTrigger):
    """Tells Airflow of one message at a time, so that no two are made one run."""

    def __init__(self, name: str, queue: str, conn_id: str) -> None:
        """Keep what to watch.

        Args:
            name: of the event and its asset.
            queue: where it is announced.
            conn_id: Airflow connection of the broker.
        """
        super().__init__()  # type: ignore[no-untyped-call]
        self.name = name
        self.queue = queue
        self.conn_id = conn_id

    def serialize(self) -> tuple[str, dict[str, Any]]:
        """Return how to build this trigger again."""
        kind = type(self)
        names = ("name", "queue", "conn_id")
        return f"{kind.__module__}.{kind.__qualname__}", {n: getattr(self, n) for n in names}

    async def run(self) -> AsyncIterator[TriggerEvent]:
        """Tell of every announcement; a watcher never ends by itself."""
        while True:
            try:
                async for event in self._connected():
                    yield event
            except Exception as error:  # noqa: BLE001 - nobody would start it again
                reason = without_secrets(f"{type(error).__name__}: {error}")
                self.log.warning("Queue %s is not watched: %s", self.queue, reason)
            await asyncio.sleep(AWAY_SECONDS)

    async def _connected(self) -> AsyncIterator[TriggerEvent]:
        """Work on one connection to the broker until it is lost."""
        from reporting.airflow_edge.connections import broker
        from reporting.core.service.event_queue import announcements

        steps = announcements(broker(self.conn_id), self.queue, self.name)
        # One thread of its own: the connection must not be used by two.
        with _own_thread(steps) as thread:
            loop = asyncio.get_running_loop()
            current, handover, pause = None, _handover_of(None), LOOK_SECONDS
            while True:
                taken = await loop.run_in_executor(thread, next, steps)
                if taken is not current:
                    current, handover, pause = taken, _handover_of(taken), LOOK_SECONDS
                if taken is not None and await self._is_to_tell(taken, handover):
                    self.log.info("Event %s, id %s.", self.name, taken.announcement.id)
                    yield TriggerEvent(taken.announcement.told)  # type: ignore[no-untyped-call]
                if taken is None or not taken.is_settled:
                    await asyncio.sleep(pause)
                    pause = LOOK_SECONDS if taken is None else min(pause * 1.5, LONGEST_SECONDS)

    async def _is_to_tell(self, taken: Taken, handover: Handover) -> bool:
        """Say whether Airflow must be told now; settle the message when its runs exist."""
        try:
            standing = await in_own_thread("airflow", self._standing, taken, handover)
        except ReportError as error:
            self.log.warning("Event id %s waits: %s", taken.announcement.id, error)
            return False
        step = handover.decide(standing, datetime.now(UTC))
        taken.is_settled = step is Next.FORGET
        return step is Next.TELL

    def _standing(self, taken: Taken, handover: Handover) -> Standing:
        from reporting.airflow_edge.connections import airflow_api

        event = Happened(self.name, handover.since, taken.announcement.told)
        return standing_of(airflow_api(), event, handover.since)


def _handover_of(taken: Taken | None) -> Handover:
    is_known = taken is not None and taken.is_known
    return Handover(datetime.now(UTC) - (LOOK_BACK if is_known else CLOCKS_APART))


@contextmanager
def _own_thread(steps: Generator[Any, None, None]) -> Iterator[ThreadPoolExecutor]:
    """Take the steps in one thread, and close the connection in it when the last has ended."""
    thread = ThreadPoolExecutor(1)
    try:
        yield thread
    finally:
        thread.submit(steps.close)
        thread.shutdown(wait=False)
