"""Dead letters: kept before they are acknowledged, then sent again or put away."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from uuid import uuid4

import psycopg
import pytest

from reporting.core.objects import Bucket
from reporting.core.run import RunId
from reporting.core.service.broker import Broker, forget_replies, send_dead, send_request
from reporting.core.service.dead_letters import FOLDER, DeadLetter, DeadLetters
from reporting.core.service.inbox import Inbox
from reporting.core.service.receiving import receive
from reporting.errors import InputError
from reporting.messages import Request
from reporting.service import TRIES, answer, declare_request_queue
from tests.integration.message_service import publish, reply, serving, waiting

pytestmark = pytest.mark.integration


@pytest.fixture
def letters(warehouse: psycopg.Connection[Any], staging_bucket: Bucket) -> DeadLetters:
    return DeadLetters(warehouse, staging_bucket)


@pytest.fixture
def inbox(staging_bucket: Bucket, report_name: str, broker: Broker) -> Iterator[Inbox]:
    found = Inbox(staging_bucket, RunId(report_name, "run"), "orders", uuid4().hex)
    with broker.channel() as channel:
        declare_request_queue(channel, f"t.{found.key}")
        send_request(channel, f"t.{found.key}", a_request(found), timedelta(minutes=1))
        channel.queue_purge(f"t.{found.key}")
    yield found
    with broker.channel() as channel:
        forget_replies(channel, found.key)
        channel.queue_delete(f"t.{found.key}")


def a_request(inbox: Inbox) -> Request:
    return Request(inbox.key, inbox.run.report, "orders", "run", {}, {})


def collected(broker: Broker, letters: DeadLetters, report: str) -> list[DeadLetter]:
    """Collect, and return those of a report: tests share the broker."""
    with broker.channel() as channel:
        letters.collect(channel)
    return [letter for letter in letters.waiting() if letter.report == report]


def test_a_reply_that_makes_no_sense_is_kept_with_all_that_is_known(
    broker: Broker, letters: DeadLetters, inbox: Inbox
) -> None:
    with broker.channel() as channel:
        publish(channel, f"reports.reply.{inbox.key}", b"nonsense")
        receive(channel, inbox)

    (letter,) = collected(broker, letters, inbox.run.report)

    assert (letter.reason, letter.source, letter.run_id) == ("no JSON", "orders", "run")
    assert (letter.tries, letter.state) == (1, "waiting")
    assert letters.message(letter) == b"nonsense"


def fail(broker: Broker, queue: str, tried: list[Request]) -> None:
    """Take a request, if there is one, and fail on it."""

    def failing(request: Request) -> Iterator[dict[str, Any]]:
        tried.append(request)
        raise RuntimeError("a fault of the service")
        yield {}

    with broker.channel() as channel:
        got: Any = channel.basic_get(queue)
        method, properties, body = got
        if method is not None:
            with pytest.raises(RuntimeError):
                answer(channel, method, properties, body, failing)


def test_a_request_its_service_fails_on_comes_here_after_some_tries(
    broker: Broker, letters: DeadLetters, inbox: Inbox
) -> None:
    queue, tried = f"t.{inbox.key}", list[Request]()
    with broker.channel() as channel:
        send_request(channel, queue, a_request(inbox), timedelta(minutes=1))
    while not (found := collected(broker, letters, inbox.run.report)):
        assert len(tried) <= TRIES + 1
        fail(broker, queue, tried)

    (letter,) = found
    assert (letter.queue, letter.source, letter.run_id) == (queue, "orders", "run")
    assert "delivery_limit" in letter.reason

    with broker.channel() as channel:
        letters.replay(channel, letter.dead_letter_id)
    with serving(broker, queue, lambda _: [{"id": 1}]):
        waiting(broker, f"reports.reply.{inbox.key}", 1)
    assert letters.one(letter.dead_letter_id).state == "replayed"


def test_a_letter_whose_task_has_moved_on_is_not_sent_again(
    broker: Broker, letters: DeadLetters, inbox: Inbox
) -> None:
    with broker.channel() as channel:
        publish(channel, f"reports.reply.{inbox.key}", b"nonsense")
        receive(channel, inbox)
        forget_replies(channel, inbox.key)
    (letter,) = collected(broker, letters, inbox.run.report)

    with broker.channel() as channel, pytest.raises(InputError, match="nobody waits"):
        letters.replay(channel, letter.dead_letter_id)
    assert letters.one(letter.dead_letter_id).state == "waiting"


def test_what_was_put_away_is_gone_and_stays_so(
    broker: Broker, letters: DeadLetters, inbox: Inbox
) -> None:
    with broker.channel() as channel:
        reply(channel, inbox.key, 1, {"id": 1}, last=True)
        reply(channel, inbox.key, 1, {"id": 2}, last=True)
        receive(channel, inbox)
    (letter,) = collected(broker, letters, inbox.run.report)

    letters.discard(letter.dead_letter_id)

    assert letters.bucket.get(FOLDER + letter.digest) is None
    assert collected(broker, letters, inbox.run.report) == []
    with pytest.raises(InputError, match="discarded already"):
        letters.discard(letter.dead_letter_id)
    with broker.channel() as channel, pytest.raises(InputError, match="discarded already"):
        letters.replay(channel, letter.dead_letter_id)
    with pytest.raises(InputError, match="no dead letter 999"):
        letters.one(999)


def test_one_that_dies_again_counts_its_tries(
    broker: Broker, letters: DeadLetters, inbox: Inbox
) -> None:
    told = {"reason": "first", "report": inbox.run.report, "queue": "q"}
    body = inbox.key.encode()
    for reason in ("first", "second"):
        with broker.channel() as channel:
            send_dead(channel, body, {**told, "reason": reason})
        (letter,) = collected(broker, letters, inbox.run.report)

    assert (letter.tries, letter.reason) == (2, "second")
    assert letter.first_at < letter.last_at
