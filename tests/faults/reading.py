"""A reader that looks at the published figures all the time, whatever happens to the stack."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Event, Thread

import psycopg

from tests.faults.checks import Breach, Expected, check_seen
from tests.faults.ground import Ground
from tests.faults.published import seen

PAUSE_SECONDS = 0.5


@dataclass
class Reader:
    """Looks at the periods that are under way.

    Attributes:
        ground: the stack.
        expected: what a release has, per report and period; others add to it.
        watched: periods that are looked at now; others change it.
        breaches: what was wrong.
        looks: how many looks found a release.
    """

    ground: Ground
    expected: Expected
    watched: set[tuple[str, str]] = field(default_factory=set)
    breaches: list[Breach] = field(default_factory=list)
    looks: int = 0
    _published: set[tuple[str, str]] = field(default_factory=set)
    _ended: Event = field(default_factory=Event)

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Read during the block."""
        thread = Thread(target=self._read)
        thread.start()
        try:
            yield
        finally:
            self._ended.set()
            thread.join()

    def _read(self) -> None:
        while not self._ended.is_set():
            try:
                self._read_on()
            except psycopg.OperationalError:  # the database was killed
                time.sleep(PAUSE_SECONDS)
            except Exception as error:  # noqa: BLE001 - a reader that is gone must be noticed
                self.breaches.append(Breach(2, "", f"the reader has failed: {error!r}"))
                return

    def _read_on(self) -> None:
        with self.ground.live().database("REPORT_WAREHOUSE") as connection:
            while not self._ended.wait(PAUSE_SECONDS):
                for key in sorted(self.watched):
                    self._look(connection, key)

    def _look(self, connection: psycopg.Connection[object], key: tuple[str, str]) -> None:
        now = seen(connection, *key)
        if now.figures:
            self.looks += 1
            self._published.add(key)
            wanted = now.figures if now.lacks_sources else self.expected[key]
            self.breaches += check_seen(now.figures, now.releases, wanted, key[1])
        elif key in self._published:
            self.breaches.append(Breach(2, key[1], "a reader saw no release any more"))
