"""Makes the next items in another thread while the present one is worked on."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")


@contextmanager
def made_ahead(
    items: Iterator[T], interrupt: Callable[[], None], depth: int = 2
) -> Iterator[Iterator[T]]:
    """Yield an iterator over the same items, up to `depth` of which are made ahead.

    When the block is left, no item is under way any more and the thread has ended.

    Args:
        items: used in the other thread only.
        interrupt: ends the wait for an item under way when the block is left early.
        depth: how many items may lie ready; it bounds the memory.
    """
    with ThreadPoolExecutor(1, "made-ahead") as pool:
        pending: deque[Future[T | None]] = deque()
        try:
            yield _taken(pool, items, pending, depth)
        finally:
            for future in pending:
                future.cancel()
            if any(future.running() for future in pending):
                interrupt()


def _taken(
    pool: ThreadPoolExecutor, items: Iterator[T], pending: deque[Future[T | None]], depth: int
) -> Iterator[T]:
    pending.extend(pool.submit(next, items, None) for _ in range(depth))
    # The future stays in the queue while it is waited for, so that leaving early finds it.
    while (item := pending[0].result()) is not None:
        pending.popleft()
        pending.append(pool.submit(next, items, None))
        yield item
