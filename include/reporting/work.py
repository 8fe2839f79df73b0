"""What a service does for one request, in a thread of its own.

Meanwhile the thread that talks to the broker keeps the connection alive. A request that is
delivered again while it is worked on, because the connection was lost, is the same work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from queue import Full, Queue
from threading import Event
from typing import Any

from reporting.exact_json import json_text
from reporting.messages import MAX_BYTES, Reply, Request

ROWS_A_PART = 1000
BYTES_A_PART = MAX_BYTES // 2
BYTES_A_ROW = MAX_BYTES - 1024 * 1024  # what stands around it needs little
SHOWN = 80  # characters of a row that is refused
AHEAD = 2  # replies that are made before they can be sent
LOOK_SECONDS = 0.2


class Refused(Exception):  # noqa: N818 - what has happened, not an error of the program
    """There will be no rows, and asking again will not help; the report is told why."""


@dataclass(frozen=True)
class Working:
    """A sign of life between rows, for a report that would think the service had lost it.

    Attributes:
        progress: how far it is; one that is as before still counts.
    """

    progress: str


Rows = Iterable[Mapping[str, Any] | Working]
Handler = Callable[[Request], Rows]


class Work:
    """One request that is worked on."""

    def __init__(self, request: Request, handler: Handler) -> None:
        """Keep what to do; `run` does it."""
        self.request = request
        self.is_over = False
        self._handler = handler
        self._made: Queue[Reply | BaseException | None] = Queue(AHEAD)
        self._next: Reply | None = None
        self._is_abandoned = Event()

    def run(self) -> None:
        """Make the replies, until nobody wants them any more."""
        try:
            for reply in replies(self.request.key, self._handler(self.request)):
                if not self._put(reply):
                    return
            self._put(None)
        except Refused as refusal:
            self._put(Reply(self.request.key, failed=str(refusal) or "refused"))
            self._put(None)
        except BaseException as error:  # noqa: BLE001 - raised where the replies are waited for
            self._put(error)

    def reply(self, seconds: float) -> Reply | None:
        """Return the reply that is due, the same until it is `sent`; None after the last.

        Raises:
            Empty: none was made within so many seconds.
            BaseException: what the handler raised.
        """
        if self._next is None and not self.is_over:
            made = self._made.get(timeout=seconds)
            self.is_over = not isinstance(made, Reply)
            if isinstance(made, BaseException):
                raise made
            self._next = made
        return self._next

    def sent(self) -> None:
        """Go on to the next reply."""
        self._next = None

    def abandon(self) -> None:
        """Make no more replies."""
        self.is_over = True
        self._is_abandoned.set()

    def _put(self, made: Reply | BaseException | None) -> bool:
        while not self._is_abandoned.is_set():
            try:
                self._made.put(made, timeout=LOOK_SECONDS)
            except Full:
                continue
            return True
        return False


class Works:
    """The works of one service, one after the other."""

    def __init__(self, handler: Handler) -> None:
        """Start with nothing to do."""
        self._handler = handler
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="handler")
        self._current: Work | None = None

    def on(self, request: Request) -> Work:
        """Return the work on a request: the one under way, or a new one."""
        current = self._current
        if current is not None and not current.is_over:
            if current.request == request:
                return current
            current.abandon()
        self._current = Work(request, self._handler)
        self._thread.submit(self._current.run)
        return self._current


def replies(key: str, rows: Rows) -> Iterator[Reply]:
    """Yield the parts of an answer, and signs of life; only the last part says that it is.

    Raises:
        Refused: a row is larger than a message may be.
    """
    part: list[Mapping[str, Any]] = []
    number, held = 1, 0
    for row in rows:
        if isinstance(row, Working):
            yield Reply(key, progress=row.progress)
            continue
        size = _size(row)
        if len(part) == ROWS_A_PART or (part and held + size > BYTES_A_PART):
            yield Reply(key, number, rows=part)
            part, number, held = [], number + 1, 0
        part.append(row)
        held += size
    yield Reply(key, number, is_last=True, rows=part)


def _size(row: Mapping[str, Any]) -> int:
    size = len(json_text(row).encode())
    if size > BYTES_A_ROW:
        named = json_text(row)[:SHOWN]
        raise Refused(
            f"a row of {size:,} bytes as JSON, beginning {named}; allowed: up to {BYTES_A_ROW:,}. "
            "Answer with the key of an object in a store instead of its content."
        )
    return size
