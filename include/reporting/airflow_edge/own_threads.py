"""Blocking looks of triggers and web routes, in threads of the place they look at.

With one pool for all, a service that does not answer would hold every thread of the process and
stop the looks at all others.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from typing import Any, TypeVar

THREADS_A_PLACE = 4
T = TypeVar("T")


async def in_own_thread(place: str, call: Callable[..., T], *args: Any) -> T:
    """Run a blocking call without holding up the event loop, nor calls to other places.

    Args:
        place: what is looked at, such as an Airflow connection.
        call: what to run.
        args: its arguments.
    """
    return await asyncio.get_running_loop().run_in_executor(_pool(place), partial(call, *args))


@cache
def _pool(place: str) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(THREADS_A_PLACE, thread_name_prefix=f"look at {place}")
