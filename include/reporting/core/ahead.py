"""Makes the next items in another thread while the present one is worked on.

Both threads share nothing but `SimpleQueue`s and attributes, for the reason that
`reporting.core.in_order` gives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from queue import SimpleQueue
from threading import Thread
from typing import Generic, TypeVar

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
    ahead = _Ahead(items, depth)
    try:
        ahead.start()
        yield ahead.taken()
    finally:
        ahead.end(interrupt)


class _Ahead(Generic[T]):
    def __init__(self, items: Iterator[T], depth: int) -> None:
        self._items = items
        self._ready: SimpleQueue[tuple[T | None, BaseException | None]] = SimpleQueue()
        self._room: SimpleQueue[None] = SimpleQueue()
        for _ in range(depth):
            self._room.put(None)
        self._is_over = False
        self._is_done = False
        # One that nobody ended must not keep the process from ending.
        self._thread = Thread(target=self._make, name="made-ahead", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def taken(self) -> Iterator[T]:
        while True:
            item, error = self._ready.get()
            if error is not None:
                raise error
            if item is None:
                return
            self._room.put(None)
            yield item

    def end(self, interrupt: Callable[[], None]) -> None:
        self._is_over = True
        self._room.put(None)
        if self._thread.is_alive():  # else a signal has broken off its start, or it has ended
            if not self._is_done:
                interrupt()
            self._thread.join()

    def _make(self) -> None:
        while not self._is_done:
            self._room.get()
            if self._is_over:
                return
            item, error = self._next()
            self._is_done = item is None
            self._ready.put((item, error))

    def _next(self) -> tuple[T | None, BaseException | None]:
        try:
            return next(self._items, None), None
        except BaseException as error:  # noqa: BLE001 - it is raised where the item is taken
            return None, error
