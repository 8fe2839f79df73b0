"""The one door for what may get lost: metrics, and notices to people (R9).

Telling never raises and never waits. One thread hands on what was told; closing the door waits a
moment for it and counts what was not handed on, by reason.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from threading import Condition, Thread
from typing import Generic, TypeVar

Notice = TypeVar("Notice")
ROOM = 100
FULL, LATE, CLOSED = "full", "late", "closed"


@dataclass(frozen=True)
class Tally:
    """What became of what was told.

    Attributes:
        sent: how many the channel has taken.
        dropped: how many were not handed on, by reason: `full`, `late`, `closed`, or the class of
            the channel's error.
    """

    sent: int
    dropped: Mapping[str, int]

    def __add__(self, other: Tally) -> Tally:
        return Tally(self.sent + other.sent, Counter(self.dropped) + Counter(other.dropped))

    def __str__(self) -> str:
        reasons = ", ".join(f"{count} {reason}" for reason, count in sorted(self.dropped.items()))
        return f"{self.sent} sent, {sum(self.dropped.values())} dropped" + (
            f" ({reasons})" if reasons else ""
        )


class Door(Generic[Notice]):
    """Hands notices to a channel that may do what it likes: raise, hang or be away."""

    def __init__(self, send: Callable[[Notice], None], room: int = ROOM) -> None:
        """Open the door.

        Args:
            send: the channel; called in a thread of the door's own.
            room: how many may wait.
        """
        self._send = send
        self._room = room
        self._waiting: deque[Notice] = deque()
        self._sent = 0
        self._dropped: Counter[str] = Counter()
        self._is_closed = self._is_sending = False
        self._thread: Thread | None = None
        self._changed = Condition()

    def tell(self, notice: Notice) -> None:
        """Hand in a notice and go on at once."""
        with self._changed:
            if self._is_closed:
                self._dropped[CLOSED] += 1
            elif len(self._waiting) >= self._room:
                self._dropped[FULL] += 1
            else:
                self._waiting.append(notice)
                self._start()
                self._changed.notify_all()

    def close(self, seconds: float) -> Tally:
        """Wait at most so long for what was told; what is not handed on by then is dropped."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
            self._changed.wait_for(self._is_idle, seconds)
            late = len(self._waiting) + self._is_sending
            if late:
                self._dropped[LATE] += late
            self._waiting.clear()
            return Tally(self._sent, dict(self._dropped))

    def _start(self) -> None:
        """Start the thread with the first notice; a machine without room for one drops it."""
        if self._thread is not None:
            return
        thread = Thread(target=self._serve, name="notices", daemon=True)
        try:
            thread.start()
        except RuntimeError as error:
            self._waiting.clear()
            self._dropped[type(error).__name__] += 1
        else:
            self._thread = thread

    def _is_idle(self) -> bool:
        return not self._waiting and not self._is_sending

    def _serve(self) -> None:
        while (notice := self._next()) is not None:
            fault = self._fault_of(notice[0])
            with self._changed:
                self._is_sending = False
                if fault is None:
                    self._sent += 1
                else:
                    self._dropped[fault] += 1
                self._changed.notify_all()

    def _next(self) -> tuple[Notice] | None:
        """Return the next notice; None when the door is closed and nothing waits."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._is_closed)
            if not self._waiting:
                return None
            self._is_sending = True
            return (self._waiting.popleft(),)

    def _fault_of(self, notice: Notice) -> str | None:
        try:
            self._send(notice)
        except BaseException as error:  # noqa: BLE001 - nothing of a channel reaches the step
            return type(error).__name__
        return None
