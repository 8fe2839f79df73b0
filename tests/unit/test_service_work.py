"""The work on a request: parts in order, signs of life, and one work per request."""

from __future__ import annotations

from collections.abc import Iterator
from queue import Empty
from threading import Event
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reporting.messages import MAX_BYTES, Reply, Request, reply_bytes, reply_from
from reporting.work import (
    BYTES_A_PART,
    BYTES_A_ROW,
    ROWS_A_PART,
    Refused,
    Work,
    Working,
    Works,
    replies,
)

SECONDS = 30


def a_request(key: str = "k") -> Request:
    return Request(key, "sales", "orders", "run", {}, {})


def made(work: Work) -> Iterator[Reply]:
    while (reply := work.reply(SECONDS)) is not None:
        yield reply
        work.sent()


@given(st.lists(st.sampled_from(["row", "sign"]), max_size=30), st.integers(0, 3))
def test_every_row_is_in_one_part_and_only_the_last_says_so(kinds: list[str], whole: int) -> None:
    items: list[Any] = [{"id": n} for n in range(whole * ROWS_A_PART)]
    items += [{"id": -1} if kind == "row" else Working("on it") for kind in kinds]

    found = list(replies("k", items))

    parts = [reply for reply in found if reply.part]
    assert [row for part in parts for row in part.rows] == [i for i in items if isinstance(i, dict)]
    assert [part.part for part in parts] == list(range(1, len(parts) + 1))
    assert [part.is_last for part in parts] == [False] * (len(parts) - 1) + [True]
    assert all(part.rows for part in parts[:-1])
    assert len(found) - len(parts) == kinds.count("sign")


@given(st.lists(st.sampled_from([1, 20_000, BYTES_A_PART, BYTES_A_ROW - 100]), max_size=3))
@settings(max_examples=10)
def test_large_rows_make_more_parts_that_a_broker_takes(lengths: list[int]) -> None:
    rows = [{"text": "é" * (length // 2)} for length in lengths]

    parts = list(replies("k", rows))

    assert [row for part in parts for row in part.rows] == rows
    assert [part.part for part in parts] == list(range(1, len(parts) + 1))
    assert all(reply_from(reply_bytes(part)) for part in parts)


def test_a_row_that_no_message_holds_is_refused_with_its_beginning() -> None:
    work = Works(lambda _: [{"id": 7, "text": "x" * MAX_BYTES}]).on(a_request())

    (reply,) = made(work)

    assert 'a row of 16,777,234 bytes as JSON, beginning {"id":7,"text":"xxx' in reply.failed
    assert "allowed: up to 15,728,640" in reply.failed


def test_a_reply_is_the_same_until_it_is_sent() -> None:
    work = Works(lambda _: [{"id": n} for n in range(ROWS_A_PART + 1)]).on(a_request())
    first = work.reply(SECONDS)
    assert work.reply(SECONDS) is first
    work.sent()
    second = work.reply(SECONDS)
    assert second is not None
    assert (second.part, second.is_last) == (2, True)


def test_f54_a_request_that_is_delivered_again_is_the_same_work() -> None:
    """Work that outlasts its connection: the second delivery finds it under way."""
    may_end, calls = Event(), []

    def slow(request: Request) -> Iterator[dict[str, int]]:
        calls.append(request.key)
        may_end.wait(SECONDS)
        yield {"id": 1}

    works = Works(slow)
    first = works.on(a_request())
    with pytest.raises(Empty):
        first.reply(0.001)
    again = works.on(a_request())
    may_end.set()

    assert again is first
    assert [reply.is_last for reply in made(again)] == [True]
    assert calls == ["k"]


def test_what_is_over_is_done_again_when_it_is_asked_again() -> None:
    works = Works(lambda _: [{"id": 1}])
    first = works.on(a_request())
    assert len(list(made(first))) == 1

    assert len(list(made(works.on(a_request())))) == 1


def test_another_request_abandons_the_one_under_way() -> None:
    ended = Event()

    def endless(request: Request) -> Iterator[dict[str, int]]:
        try:
            yield from ({"id": n} for n in range(10**9 if request.key == "k" else 1))
        finally:
            ended.set()

    works = Works(endless)
    works.on(a_request())
    other = works.on(a_request("other"))

    assert [reply.key for reply in made(other)] == ["other"]
    assert ended.wait(SECONDS)


def test_what_a_handler_raises_is_heard() -> None:
    def broken(_: Request) -> Iterator[dict[str, int]]:
        raise SystemExit(3)
        yield {}

    work = Works(broken).on(a_request())
    with pytest.raises(SystemExit):
        work.reply(SECONDS)
    assert work.is_over


@pytest.mark.parametrize(("said", "told"), [("no such day", "no such day"), ("", "refused")])
def test_a_refusal_is_an_answer(said: str, told: str) -> None:
    def refusing(_: Request) -> Iterator[dict[str, int]]:
        raise Refused(said)
        yield {}

    found = list(made(Works(refusing).on(a_request())))
    assert [(reply.failed, reply.part) for reply in found] == [(told, 0)]
