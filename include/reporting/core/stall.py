"""Ends work that no longer moves: a time limit alone lets it hold its slot to the end (R18)."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, NoReturn

from reporting.errors import TransientError

if TYPE_CHECKING:
    from reporting.core.progress import Progress

# Airflow ends tasks by SIGTERM and SIGALRM, and its own processes use SIGUSR2.
SIGNAL = signal.SIGUSR1


class _StalledError(BaseException):
    """Raised in the midst of the work; no `except Exception` on the way out may take it."""


@contextmanager
def ended_when_stalled(source: str, progress: Progress, after: timedelta) -> Iterator[None]:
    """End the block when it has made no progress for so long.

    Only the main thread can be interrupted; elsewhere the block runs to its end.

    Args:
        source: name of the source, for the message.
        progress: is told whatever the block has read.
        after: how long without progress.

    Raises:
        TransientError: it was ended; says how far it was.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    watcher = _Watcher(progress, after.total_seconds())
    before = signal.signal(SIGNAL, _end)
    try:
        watcher.start()
        try:
            yield
        finally:
            watcher.stop()  # the strike may still come in here
    except _StalledError:
        raise TransientError(
            f"Source {source!r}: no progress for {after}; {progress} when it was ended. Nothing "
            "was committed. If it needs that long, raise the source's stalled_after."
        ) from None
    finally:
        signal.signal(SIGNAL, before)


def _end(_number: int, _frame: object) -> NoReturn:
    raise _StalledError


class _Watcher(threading.Thread):
    def __init__(self, progress: Progress, seconds: float) -> None:
        super().__init__(name="stall", daemon=True)
        self._progress, self._seconds = progress, seconds
        self._main = threading.main_thread().ident
        self._lock = threading.Lock()
        self._is_over = threading.Event()

    def run(self) -> None:
        """Strike once, when the time is over."""
        while (left := self._progress.left(self._seconds)) > 0:
            if self._is_over.wait(left):
                return
        with self._lock:
            # Never after the work has ended: nobody would be there to take it.
            if not self._is_over.is_set() and self._main is not None:
                signal.pthread_kill(self._main, SIGNAL)

    def stop(self) -> None:
        """Do not strike any more."""
        with self._lock:
            self._is_over.set()
