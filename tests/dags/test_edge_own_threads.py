"""Looks of triggers: a service that does not answer holds up only the looks at itself."""

from __future__ import annotations

import asyncio
from threading import Event, current_thread

from reporting.airflow_edge.own_threads import THREADS_A_PLACE, in_own_thread

SECONDS = 30


def test_a_place_that_hangs_holds_up_no_other() -> None:
    may_end = Event()

    async def look() -> tuple[int, str]:
        hanging = [
            asyncio.create_task(in_own_thread("dead service", may_end.wait, SECONDS))
            for _ in range(THREADS_A_PLACE * 3)
        ]
        try:
            name = await asyncio.wait_for(
                in_own_thread("other service", lambda: current_thread().name), SECONDS / 2
            )
            return sum(task.done() for task in hanging), name
        finally:
            may_end.set()
            await asyncio.gather(*hanging)

    done, thread = asyncio.run(look())

    assert done == 0
    assert "other service" in thread


def test_what_a_look_raises_is_raised_where_it_is_awaited() -> None:
    async def look() -> str:
        try:
            await in_own_thread("a service", lambda: 1 / 0)
        except ZeroDivisionError:
            return "raised"
        return "lost"

    assert asyncio.run(look()) == "raised"
