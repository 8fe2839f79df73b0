"""Ends processes of the stack, and sessions of its database, all of a sudden."""

from __future__ import annotations

import os
import signal
from contextlib import suppress

import psutil
import psycopg

from tests.faults.ground import Ground
from tests.faults.patience import with_patience

SESSIONS = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE usename = 'reporting' AND pid <> pg_backend_pid()
"""


def end_sessions(ground: Ground) -> None:
    """End every session of the warehouse."""
    with_patience(lambda: _end_sessions(ground))


def kill_service(ground: Ground, name: str) -> None:
    """Kill a service; the supervisor starts it again."""
    pid = next(found.pid for found in ground.stack.status() if found.name == name)
    if pid is not None:
        _kill(pid)


def kill_worker(pid: int) -> None:
    """Kill a task's process and the one that watches over it, so that nobody tells of its end."""
    with suppress(psutil.NoSuchProcess):
        watcher = psutil.Process(pid).ppid()
        for one in (watcher, pid):
            _kill(one)


def mend(ground: Ground) -> None:
    """Wait until all services can be used again, also those that another plan kills meanwhile."""
    with_patience(ground.stack.up)


def _end_sessions(ground: Ground) -> None:
    with psycopg.connect(ground.stack.dsn("postgres", "postgres")) as connection:
        connection.execute(SESSIONS)


def _kill(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
