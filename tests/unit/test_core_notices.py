"""The door for what may get lost: whatever its channel does, the caller never sees it (R9)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread
from time import monotonic

import pytest

from reporting.core.notices import Door, Tally

pytestmark = pytest.mark.unit

PATIENCE = 30.0  # far more than anything here takes
GENEROUS = 5.0


@contextmanager
def hanging() -> Iterator[tuple[Door[int], Event]]:
    """A door whose channel hangs with the first notice until the block ends."""
    goes_on, hangs = Event(), Event()

    def send(_: int) -> None:
        hangs.set()
        goes_on.wait(PATIENCE)

    door = Door[int](send, room=3)
    door.tell(0)
    assert hangs.wait(PATIENCE)
    try:
        yield door, goes_on
    finally:
        goes_on.set()


def test_what_is_told_is_sent_in_order() -> None:
    sent: list[int] = []
    door = Door[int](sent.append)
    for number in range(5):
        door.tell(number)

    assert door.close(PATIENCE) == Tally(5, {})
    assert sent == [0, 1, 2, 3, 4]


def test_a_door_that_was_not_used_has_no_thread() -> None:
    assert Door[int](lambda _: None).close(PATIENCE) == Tally(0, {})


@pytest.mark.parametrize("error", [OSError("away"), SystemExit(1), KeyboardInterrupt()], ids=repr)
def test_a_channel_that_raises_is_counted_by_its_error(error: BaseException) -> None:
    def send(number: int) -> None:
        if number % 2:
            raise error

    door = Door[int](send)
    for number in range(5):
        door.tell(number)

    assert door.close(PATIENCE) == Tally(3, {type(error).__name__: 2})


def test_a_channel_that_hangs_holds_nobody_up() -> None:
    with hanging() as (door, _):
        before = monotonic()
        door.tell(1)
        tally = door.close(0.1)

        assert monotonic() - before < GENEROUS
        assert tally == Tally(0, {"late": 2})


def test_no_more_than_the_room_waits() -> None:
    with hanging() as (door, _):
        for number in range(1, 1000):
            door.tell(number)

        assert door.close(0) == Tally(0, {"full": 996, "late": 4})


def test_what_was_late_is_not_sent_and_not_counted_twice() -> None:
    sent: list[int] = []
    goes_on, hangs, over = Event(), Event(), Event()

    def send(number: int) -> None:
        hangs.set()
        goes_on.wait(PATIENCE)
        sent.append(number)
        over.set()

    door = Door[int](send)
    door.tell(1)
    assert hangs.wait(PATIENCE)
    door.tell(2)
    tally = door.close(0)
    goes_on.set()
    assert over.wait(PATIENCE)

    assert tally == Tally(0, {"late": 2})
    assert sent == [1]


def test_a_closed_door_takes_nothing() -> None:
    sent: list[int] = []
    door = Door[int](sent.append)
    door.close(0)
    door.tell(1)

    assert door.close(PATIENCE) == Tally(0, {"closed": 1})
    assert sent == []


def test_a_machine_without_room_for_a_thread_drops(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(Thread, "start", refuse)
    door = Door[int](lambda _: None)
    door.tell(1)

    assert door.close(PATIENCE) == Tally(0, {"RuntimeError": 1})


def test_a_tally_in_words() -> None:
    tally = Tally(3, {"late": 1, "SlackApiError": 2})
    assert str(tally) == "3 sent, 3 dropped (2 SlackApiError, 1 late)"
    assert str(Tally(3, {})) == "3 sent, 0 dropped"
