"""Calls made one after another in a thread of their own, while the caller goes on.

A signal's handler, like that of Airflow's time limit, raises anywhere in the main thread, also
inside a lock that is written in Python, which then stays locked. So caller and thread share
nothing but `SimpleQueue`s and attributes, which no signal leaves half-way.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from queue import SimpleQueue
from threading import Thread
from typing import Any

AT_ONCE = 2  # one call is under way and one waits


class InOrder:
    """Makes calls in order; after one that failed no other is made."""

    def __init__(self, name: str) -> None:
        """Prepare the thread, named after what it does."""
        self._calls: SimpleQueue[Callable[[], Any] | None] = SimpleQueue()
        self._room: SimpleQueue[None] = SimpleQueue()
        self._error: BaseException | None = None
        self._is_ending = False
        self._undo: Callable[[], None] | None = None
        self._undo_error: BaseException | None = None
        # One that nobody ended must not keep the process from ending.
        self._thread = Thread(target=self._make_calls, name=name, daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._free(AT_ONCE)
        self._thread.start()

    def call(self, function: Callable[..., Any], *arguments: Any) -> None:
        """Take a call; wait first while another one waits already.

        Raises:
            BaseException: what an earlier call has raised.
        """
        self.check()
        self._room.get()
        self._calls.put(partial(function, *arguments))

    def check(self) -> None:
        """Raise what a call has raised; do not wait for those that have not ended."""
        if self._error is not None:
            raise self._error

    def wait(self) -> None:
        """Wait until all calls have ended, and raise what one of them has raised."""
        for _ in range(AT_ONCE):
            self._room.get()
        self._free(AT_ONCE)
        self.check()

    def end(self, undo: Callable[[], None] | None) -> None:
        """Drop the call that waits, wait for the one under way, and end the thread.

        Args:
            undo: called last and by the thread, so that it is done also when the caller is broken
                off while it waits for it.

        Raises:
            BaseException: what `undo` has raised.
        """
        self._undo, self._is_ending = undo, True
        self._calls.put(None)
        if self._thread.is_alive():  # else a signal has broken off its start
            self._thread.join()
        if self._undo_error is not None:
            raise self._undo_error

    def _free(self, places: int) -> None:
        for _ in range(places):
            self._room.put(None)

    def _make_calls(self) -> None:
        while (call := self._calls.get()) is not None:
            if self._error is None and not self._is_ending:
                self._error = _error_of(call)
            self._free(1)
        if self._undo is not None:
            self._undo_error = _error_of(self._undo)


def _error_of(call: Callable[[], Any]) -> BaseException | None:
    try:
        call()
    except BaseException as error:  # noqa: BLE001 - it is raised where it is asked for
        return error
    return None
