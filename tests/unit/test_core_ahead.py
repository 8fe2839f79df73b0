"""Items made ahead are the same items, and whoever leaves early leaves nothing running."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from reporting.core.ahead import made_ahead

pytestmark = pytest.mark.unit

Numbers = Iterator[int]


def unused() -> None:
    raise AssertionError("nothing was to be interrupted")


def threads() -> list[str]:
    return [t.name for t in threading.enumerate() if t.name.startswith("made-ahead")]


def test_all_items_come_in_order_and_in_another_thread() -> None:
    made_in = set()

    def items() -> Numbers:
        for number in range(100):
            made_in.add(threading.current_thread().name)
            yield number

    with made_ahead(items(), unused) as ahead:
        assert list(ahead) == list(range(100))
    assert made_in
    assert threading.current_thread().name not in made_in
    assert threads() == []


def test_no_items_are_no_items() -> None:
    nothing: list[int] = []

    with made_ahead(iter(nothing), unused) as ahead:
        assert list(ahead) == []


def test_f64_only_so_many_lie_ready() -> None:
    made: list[int] = []

    def items() -> Numbers:
        for number in range(100):
            made.append(number)
            yield number

    with made_ahead(items(), lambda: None, depth=3) as ahead:
        for number in ahead:
            assert len(made) <= number + 1 + 3


def test_an_error_comes_in_its_place() -> None:
    def items() -> Numbers:
        yield 1
        yield 2
        raise ZeroDivisionError

    got = []
    with pytest.raises(ZeroDivisionError), made_ahead(items(), unused) as ahead:  # noqa: PT012
        for number in ahead:
            got.append(number)  # noqa: PERF402 - those before the error count
    assert got == [1, 2]
    assert threads() == []


class Told(BaseException):
    """Like a time limit or Ctrl-C: no handler of ordinary errors catches it."""


def test_f84_whoever_leaves_early_interrupts_the_item_under_way() -> None:
    waiting, go_on = threading.Event(), threading.Event()
    was_interrupted: list[bool] = []

    def items() -> Numbers:
        yield 1
        waiting.set()
        was_interrupted.append(go_on.wait(10))
        yield 2

    with pytest.raises(Told), made_ahead(items(), go_on.set) as ahead:  # noqa: PT012
        next(ahead)
        assert waiting.wait(30)
        raise Told
    assert was_interrupted == [True]
    assert threads() == []


def test_what_had_not_begun_is_never_begun() -> None:
    made: list[int] = []
    waiting, go_on = threading.Event(), threading.Event()

    def items() -> Numbers:
        for number in range(10):
            made.append(number)
            if number == 1:
                waiting.set()
                go_on.wait(10)
            yield number

    with pytest.raises(Told), made_ahead(items(), go_on.set, depth=4) as ahead:  # noqa: PT012
        next(ahead)
        assert waiting.wait(30)
        raise Told
    assert made == [0, 1]
