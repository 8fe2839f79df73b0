"""Messages: each good part is staged once, whatever comes twice, late, or makes no sense."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest

from embedded_stack.stack import Stack
from reporting.core.objects import Bucket
from reporting.core.service.broker import (
    Broker,
    count_replies,
    forget_replies,
    reply_queue,
    send_request,
)
from reporting.core.service.inbox import Inbox
from reporting.core.staging import Staging
from reporting.errors import TransientError
from reporting.messages import Request
from reporting.service import Refused
from tests.integration.message_asking import LIMIT, a_request, asked, staged, taken
from tests.integration.message_service import reply, serving, waiting

pytestmark = pytest.mark.integration


def test_a_service_in_ten_lines_answers_a_request(
    staging: Staging, broker: Broker, inbox: Inbox, queue: str
) -> None:
    seen: list[Request] = []

    def orders(request: Request) -> Iterator[dict[str, Any]]:
        seen.append(request)
        yield from ({"id": n, "name": str(n)} for n in range(2500))

    asked(broker, inbox, queue)
    with serving(broker, queue, orders):
        waiting(broker, reply_queue(inbox.key), 3)

    assert taken(broker, inbox) == 3
    assert inbox.missing == []
    assert [row["id"] for row in staged(staging, inbox)] == list(range(2500))
    assert seen == [a_request(inbox.key)]


def test_no_rows_are_an_answer(staging: Staging, broker: Broker, inbox: Inbox, queue: str) -> None:
    asked(broker, inbox, queue)
    with serving(broker, queue, lambda _: []):
        waiting(broker, reply_queue(inbox.key), 1)
    taken(broker, inbox)

    assert inbox.missing == []
    assert staged(staging, inbox) == []


def test_parts_in_any_order_and_twice_are_staged_once_in_order(
    staging: Staging, broker: Broker, inbox: Inbox, queue: str
) -> None:
    asked(broker, inbox, queue)
    with broker.channel() as channel:
        for part in (3, 1, 1, 3, 2, 2):
            reply(channel, inbox.key, part, {"id": part}, last=part == 3)

    taken(broker, inbox)

    assert inbox.missing == []
    assert [row["id"] for row in staged(staging, inbox)] == [1, 2, 3]


def test_an_answer_is_not_whole_before_each_part_has_come(
    broker: Broker, inbox: Inbox, queue: str
) -> None:
    asked(broker, inbox, queue)
    with broker.channel() as channel:
        reply(channel, inbox.key, 1, {"id": 1})
        taken(broker, inbox)
        assert inbox.missing is None
        reply(channel, inbox.key, 3, {"id": 3}, last=True)
        taken(broker, inbox)
        assert inbox.missing == [2]
        reply(channel, inbox.key, 2, {"id": 2})
    taken(broker, inbox)

    assert inbox.missing == []


def test_a_part_is_kept_before_it_is_acknowledged(
    broker: Broker, inbox: Inbox, queue: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The store fails between the two: the part is delivered again and nothing is lost."""
    asked(broker, inbox, queue)
    with broker.channel() as channel:
        reply(channel, inbox.key, 1, {"id": 1}, last=True)
    with monkeypatch.context() as patched:
        patched.setattr(Bucket, "put", lambda *_, **__: (_ for _ in ()).throw(OSError("store")))
        with pytest.raises((OSError, TransientError)):
            taken(broker, inbox)
    assert inbox.missing is None

    assert taken(broker, inbox) == 1
    assert inbox.missing == []


def test_a_service_that_refuses_is_heard(broker: Broker, inbox: Inbox, queue: str) -> None:
    def orders(_: Request) -> Iterator[dict[str, Any]]:
        raise Refused("no such day")
        yield {}

    asked(broker, inbox, queue)
    with serving(broker, queue, orders):
        waiting(broker, reply_queue(inbox.key), 1)

    assert taken(broker, inbox) == 1
    assert inbox.failed == "the service refused: no such day"


def test_a_request_that_nobody_waits_for_any_more_is_done_with(
    broker: Broker, inbox: Inbox, queue: str
) -> None:
    asked(broker, inbox, queue)
    with broker.channel() as channel:
        forget_replies(channel, inbox.key)
    with serving(broker, queue, lambda _: [{"id": 1}]):
        waiting(broker, queue, 0)

    with broker.channel() as channel:
        assert count_replies(channel, inbox.key) is None


def test_a_queue_that_nobody_serves_is_named(broker: Broker, inbox: Inbox) -> None:
    with broker.channel() as channel, pytest.raises(TransientError, match="no queue 'nobody'"):
        send_request(channel, "nobody", a_request(inbox.key), LIMIT)


def test_a_broker_that_is_away_is_worth_another_try(stack: Stack) -> None:
    gone = Broker("127.0.0.1", stack.ports.webhook, "reports", "S3CR3T", "reports")
    with pytest.raises(TransientError) as fault, gone.channel():
        pass

    assert "S3CR3T" not in str(fault.value)


def test_f28_f30_numbers_keep_all_digits(
    staging: Staging, broker: Broker, inbox: Inbox, queue: str
) -> None:
    rows = [{"id": 9007199254740993, "n": Decimal("12345678901234.567891")}]
    asked(broker, inbox, queue)
    with serving(broker, queue, lambda _: rows):
        waiting(broker, reply_queue(inbox.key), 1)
    taken(broker, inbox)

    assert staged(staging, inbox, columns={"id": "int64", "n": "decimal(20,6)"}) == rows
