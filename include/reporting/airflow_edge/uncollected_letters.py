"""How many dead letters lie on the broker still, where no list has them."""

from __future__ import annotations

import asyncio

from reporting.airflow_edge.open_dead_letters import broker_of_dead_letters
from reporting.airflow_edge.own_threads import in_own_thread
from reporting.errors import TransientError
from reporting.queues import DEAD

PATIENCE_SECONDS = 2.0  # a list must not wait for a broker that does not answer


async def uncollected() -> int | None:
    """Return how many the janitor has not collected yet; None when nobody can say so at once."""
    try:
        return await asyncio.wait_for(in_own_thread("broker", _counted), PATIENCE_SECONDS)
    except (TimeoutError, TransientError):
        return None


def _counted() -> int | None:
    from reporting.core.service.queue_depths import queue_depths

    at = broker_of_dead_letters()
    return None if at is None else queue_depths(at, [DEAD])[DEAD] or 0
