"""Looks at which threads are left."""

from __future__ import annotations

import threading

OLDER: set[threading.Thread] = set()  # those of other tests, which end when they do


def running(prefix: str) -> list[str]:
    """Return the names of the test's own threads that begin so."""
    own = set(threading.enumerate()) - OLDER
    return [thread.name for thread in own if thread.name.startswith(prefix)]


def forget_older() -> None:
    """Count only threads that are started from now on."""
    OLDER.clear()
    OLDER.update(threading.enumerate())
