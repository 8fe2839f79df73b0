"""Does something beside the test, in a session of its own, and knows when that waits for a lock."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import psycopg

from embedded_stack.conditions import wait_for
from reporting.core.saga import Places

SECONDS = 20
Result = TypeVar("Result")


@dataclass(frozen=True)
class Beside:
    """Another process, as far as the warehouse can tell.

    Attributes:
        places: those of the test, over a connection of its own.
        watcher: sees who waits.
        threads: where it works.
    """

    places: Places
    watcher: psycopg.Connection[Any]
    threads: ThreadPoolExecutor

    def begins(self, act: Callable[[Places], Result]) -> Future[Result]:
        """Begin something; return when it waits for a lock, or is over."""
        doing = self.begins_freely(act)
        wait_for(
            lambda: doing.done() or self._waits() or None,
            seconds=SECONDS,
            otherwise=lambda: "it neither waits nor ends",
        )
        return doing

    def begins_freely(self, act: Callable[[Places], Result]) -> Future[Result]:
        """Begin something and go on at once."""
        return self.threads.submit(act, self.places)

    def _waits(self) -> bool:
        found = self.watcher.execute(
            "SELECT FROM pg_stat_activity WHERE pid = %s AND wait_event_type = 'Lock'",
            (self.places.warehouse.info.backend_pid,),
        )
        return found.fetchone() is not None


@contextmanager
def beside(places: Places, database: str) -> Iterator[Beside]:
    """Open another process's places for the block."""
    with (
        psycopg.connect(database, autocommit=True) as own,
        psycopg.connect(database, autocommit=True) as watcher,
        ThreadPoolExecutor(1) as threads,
    ):
        yield Beside(replace(places, warehouse=own), watcher, threads)
