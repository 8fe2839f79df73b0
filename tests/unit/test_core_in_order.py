"""Calls in order: one under way, one waiting, none after a failure, and an undo that is last."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from threading import Event

import pytest

from reporting.core.in_order import InOrder

pytestmark = pytest.mark.unit

PATIENCE = 30


class ToldError(BaseException):
    """Nothing that ordinary handlers catch."""


def fail() -> None:
    raise ToldError


@pytest.fixture
def calls() -> Iterator[InOrder]:
    calls = InOrder("in-order")
    calls.start()
    yield calls
    calls.end(None)
    assert "in-order" not in [thread.name for thread in threading.enumerate()]


def test_calls_are_made_in_order_in_one_other_thread(calls: InOrder) -> None:
    made = []
    for number in range(100):
        calls.call(lambda n: made.append((n, threading.current_thread().name)), number)
    calls.wait()

    assert made == [(number, "in-order") for number in range(100)]


def test_the_caller_waits_while_one_call_waits_already(calls: InOrder) -> None:
    go, ended, third_is_taken = Event(), list[int](), Event()

    def end_when_told(number: int) -> None:
        assert go.wait(PATIENCE)
        ended.append(number)

    def take_three() -> None:
        for number in range(3):
            calls.call(end_when_told, number)
        third_is_taken.set()

    caller = threading.Thread(target=take_three)
    caller.start()
    assert not third_is_taken.wait(0.05)
    go.set()
    caller.join(PATIENCE)
    calls.wait()
    assert ended == [0, 1, 2]


def test_an_error_is_told_as_it_is_and_no_later_call_is_made(calls: InOrder) -> None:
    made = list[int]()
    calls.call(fail)

    with pytest.raises(ToldError):
        calls.wait()
    with pytest.raises(ToldError):
        calls.check()
    with pytest.raises(ToldError):
        calls.call(made.append, 1)
    assert made == []


def test_the_undo_follows_what_is_under_way_and_what_waits_is_dropped() -> None:
    calls, began, go, made = InOrder("in-order"), Event(), Event(), list[str]()

    def first() -> None:
        began.set()
        assert go.wait(PATIENCE)
        made.append("first")

    calls.start()
    calls.call(first)
    calls.call(made.append, "waiting")
    assert began.wait(PATIENCE)
    ender = threading.Thread(target=calls.end, args=(lambda: made.append("undo"),))
    ender.start()
    while not calls._is_ending:
        assert ender.is_alive()
    go.set()
    ender.join(PATIENCE)

    assert made == ["first", "undo"]


def test_the_error_of_the_undo_is_told() -> None:
    calls = InOrder("in-order")
    calls.start()

    with pytest.raises(ToldError):
        calls.end(fail)


def test_one_whose_thread_never_started_can_be_ended() -> None:
    InOrder("in-order").end(fail)
