"""Looks at which threads are left."""

from __future__ import annotations

import threading


def running(prefix: str) -> list[str]:
    """Return the names of the threads that begin so."""
    return [thread.name for thread in threading.enumerate() if thread.name.startswith(prefix)]
