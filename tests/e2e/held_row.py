"""Keeps a step from starting its work: holds the row that notes that its run stages data."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Event, Thread
from typing import Any

import psycopg

LOCK = "SELECT 1 FROM reporting.staged_run WHERE run_id = %s FOR UPDATE"
BLOCKED = "SELECT 1 FROM pg_stat_activity WHERE %s = ANY(pg_blocking_pids(pid))"
LOOK_SECONDS = 0.1


class HeldRow:
    """Locks the row as soon as `init` has made it, which is before the fetch has started."""

    def __init__(self, connect: Callable[[], psycopg.Connection[Any]], run_id: str) -> None:
        """Begin to look for the row."""
        self._connection, self._looks = connect(), connect()
        self._connection.autocommit = False
        self._is_released = Event()
        Thread(target=self._hold, args=(run_id,), daemon=True).start()

    def is_blocking(self) -> bool:
        """Say whether a process waits for the row."""
        pid = self._connection.info.backend_pid
        return self._looks.execute(BLOCKED, (pid,)).fetchone() is not None

    def release(self) -> None:
        """Let it go on."""
        self._is_released.set()
        self._connection.rollback()
        self._connection.close()
        self._looks.close()

    def _hold(self, run_id: str) -> None:
        while not self._is_released.is_set():
            if self._connection.execute(LOCK, (run_id,)).fetchone():
                return
            self._connection.rollback()
            time.sleep(LOOK_SECONDS)
