"""Dead letters: kept before they are acknowledged, with all that is known of them."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

from reporting.core.objects import Bucket
from reporting.core.service.broker import Broker
from reporting.core.service.dead_letters import DeadLetters, NoSuchLetterError
from reporting.core.service.inbox import Inbox
from reporting.core.service.receiving import receive
from reporting.core.warehouse.dead_letters import STATES, DeadLetter, Wanted, backlogs
from reporting.core.warehouse.schema import DDL, ensure_schema
from reporting.messages import Request
from reporting.queues import DEAD, TRIES, declare_dead, declare_request_queue
from reporting.service import serve
from tests.integration.dead_messages import collected, fail_until_dead, send_asked, set_aside
from tests.integration.message_service import publish, reply, serving, waiting

pytestmark = pytest.mark.integration


def test_f55_a_reply_that_makes_no_sense_blocks_nothing_and_is_kept(
    broker: Broker, letters: DeadLetters, asked: Inbox
) -> None:
    with broker.channel() as channel:
        publish(channel, f"reports.reply.{asked.key}", b"not json")
        reply(channel, asked.key, 1, {"id": 1}, last=True)
        receive(channel, asked)

    (letter,) = collected(broker, letters)

    assert (letter.reason, letter.source) == ("no JSON", "orders")
    assert (letter.report, letter.run_id) == (asked.run.report, "run")
    assert (letter.tries, letter.state, letter.bytes) == (1, "waiting", 8)
    assert letters.message(letter) == b"not json"
    assert asked.missing == []


def test_f55_a_request_that_makes_no_sense_blocks_nothing_and_is_kept(
    broker: Broker, letters: DeadLetters, asked: Inbox, queue: str
) -> None:
    with broker.channel() as channel:
        declare_request_queue(channel, queue)
        publish(channel, queue, b"not json")
    send_asked(broker, asked, queue)
    with serving(broker, queue, lambda _: [{"id": 1}]):
        waiting(broker, f"reports.reply.{asked.key}", 1)
    waiting(broker, DEAD, 1)

    (letter,) = collected(broker, letters)

    assert (letter.queue, letter.tries, letter.run_id) == (queue, 1, None)
    assert letter.reason == "it does not say where to answer"


def test_f55_a_request_its_service_fails_on_comes_here_after_some_tries(
    broker: Broker, letters: DeadLetters, asked: Inbox, queue: str
) -> None:
    send_asked(broker, asked, queue)
    tried = fail_until_dead(broker, queue)

    (letter,) = collected(broker, letters)

    assert (letter.queue, letter.source, letter.run_id) == (queue, "orders", "run")
    assert letter.tries == tried == TRIES + 1
    assert letter.reason == "its service failed on it: RuntimeError: a fault of the service"


def test_f55_a_program_that_ends_on_a_request_each_time_is_counted_once_each_time(
    broker: Broker, letters: DeadLetters, asked: Inbox, queue: str
) -> None:
    send_asked(broker, asked, queue)
    url = f"amqp://{broker.login}:{broker.password}@{broker.host}:{broker.port}/{broker.vhost}"
    calls: list[str] = []

    def failing(request: Request) -> list[dict[str, Any]]:
        calls.append(request.key)
        raise RuntimeError("the scale is broken")

    for _ in range(TRIES + 1):  # each is a program that is started again
        with pytest.raises(RuntimeError):
            serve(url, queue, failing)
    waiting(broker, DEAD, 1)

    (letter,) = collected(broker, letters)
    assert letter.tries == len(calls) == TRIES + 1
    assert letter.reason == "its service failed on it: RuntimeError: the scale is broken"


def test_of_a_reply_the_report_gave_up_the_run_is_found(
    broker: Broker, letters: DeadLetters, asked: Inbox
) -> None:
    with broker.channel() as channel:
        reply(channel, asked.key, 1, {"id": 1}, last=True)
        got: Any = channel.basic_get(f"reports.reply.{asked.key}")
        channel.basic_reject(got[0].delivery_tag, requeue=False)
    waiting(broker, DEAD, 1)

    (letter,) = collected(broker, letters)

    assert (letter.report, letter.source, letter.run_id) == (asked.run.report, "orders", "run")


def test_one_that_dies_again_counts_its_tries(broker: Broker, letters: DeadLetters) -> None:
    for reason in ("first", "second"):
        set_aside(broker, b"x", queue="q", reason=reason)
        (letter,) = collected(broker, letters)

    assert (letter.tries, letter.reason) == (2, "second")
    assert letter.first_at < letter.last_at


def test_a_crash_before_the_acknowledgement_counts_no_try_twice(
    broker: Broker, letters: DeadLetters
) -> None:
    set_aside(broker, b"x", queue="q", reason="first")
    with broker.channel() as channel:
        got: Any = channel.basic_get(DEAD)
        # Kept, and then the process is killed: the broker gives the message out again.
        letters._keep(dict(got[1].headers), None, got[2])

    (letter,) = collected(broker, letters)

    assert letter.tries == 1


def test_one_that_was_put_away_comes_back_only_if_it_dies_again(
    broker: Broker, letters: DeadLetters
) -> None:
    set_aside(broker, b"x", queue="q", reason="first")
    with broker.channel() as channel:
        got: Any = channel.basic_get(DEAD)
        letters._keep(dict(got[1].headers), None, got[2])
        (letter,) = letters.listed(Wanted())
        letters.discard(letter.dead_letter_id)

    assert collected(broker, letters) == []
    set_aside(broker, b"x", queue="q", reason="first")
    (again,) = collected(broker, letters)
    assert (again.dead_letter_id, again.tries) == (letter.dead_letter_id, 2)
    assert letters.message(again) == b"x"


# A request whose names hold what no database takes.
NO_TEXT = (
    b'{"version": 1, "key": "\\u0000", "report": "\\ud800", "source": "\\u0000", "run": "r", '
    b'"asked": {}, "columns": {}}'
)
SECRET = "https://u:p%40ss@api.test/v1?api_key=S3CR3T"


def test_f8_no_secret_is_written_down_or_shown(
    broker: Broker, letters: DeadLetters, warehouse: psycopg.Connection[Any]
) -> None:
    body = f'{{"password": "p@ss", "of": "{SECRET}"}}'.encode()
    set_aside(broker, body, reason=SECRET, source=SECRET, report=SECRET, run_id=SECRET)
    (letter,) = collected(broker, letters)

    row = warehouse.execute("SELECT letter::text FROM reporting.dead_letter AS letter")
    shown = f"{row.fetchall()} {letter} {letters.beginning(letter)}"
    for secret in ("S3CR3T", "p@ss", "p%40ss"):
        assert secret not in shown
    assert "api.test" in shown


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        (NO_TEXT, {}),
        (b"x", {"x-death": "forged", "dead_at": "never", "queue": "\0"}),
        (b"x", {"x-death": [1], "reason": {"a": 1}, "source": 7, "report": "r" * 9999}),
        (b"", {}),
        (b"\xff" * 5000, {"x-death": [{"time": "noon", "queue": 5}]}),
    ],
)
def test_f55_nothing_that_a_message_says_blocks_those_behind_it(
    broker: Broker, letters: DeadLetters, body: bytes, headers: dict[str, Any]
) -> None:
    import pika

    with broker.channel() as channel:
        declare_dead(channel)
        channel.basic_publish("", DEAD, body, pika.BasicProperties(headers=headers))
    set_aside(broker, b"behind it", queue="q", reason="no JSON")

    found = collected(broker, letters)

    assert sorted(letters.message(letter) for letter in found) == sorted([body, b"behind it"])


def some(letters: DeadLetters) -> dict[str, DeadLetter]:
    """Keep letters of two reports and of none; return them by their message."""
    for body, told in (
        (b"a1", {"report": "a", "source": "orders"}),
        (b"a2", {"report": "a", "source": "planes"}),
        (b"b1", {"report": "b", "source": "orders"}),
        (b"none", {}),
    ):
        letters._keep({"queue": "q", "reason": "no JSON", **told}, None, body)
    return {letters.message(letter).decode(): letter for letter in letters.listed(Wanted())}


def names(letters: DeadLetters, wanted: Wanted, **how: Any) -> list[str]:
    return [letters.message(letter).decode() for letter in letters.listed(wanted, **how)]


def test_letters_are_listed_by_report_source_and_state(letters: DeadLetters) -> None:
    known = some(letters)

    assert names(letters, Wanted()) == ["none", "b1", "a2", "a1"]
    assert names(letters, Wanted(), order="oldest") == ["a1", "a2", "b1", "none"]
    assert names(letters, Wanted(report="a")) == ["a2", "a1"]
    assert names(letters, Wanted(source="orders")) == ["b1", "a1"]
    assert names(letters, Wanted(readable=["b"])) == ["b1"]
    assert names(letters, Wanted(readable=[])) == []
    assert names(letters, Wanted(), limit=2, offset=1) == ["b1", "a2"]
    assert letters.count(Wanted(report="a")) == 2

    letters.discard(known["a2"].dead_letter_id)
    assert names(letters, Wanted(report="a")) == ["a1"]
    assert letters.count(Wanted(report="a", states=STATES)) == 2
    with pytest.raises(NoSuchLetterError, match="no dead letter 999"):
        letters.one(999)


def test_the_backlog_is_known_per_report(letters: DeadLetters) -> None:
    known = some(letters)
    letters.discard(known["b1"].dead_letter_id)

    found = {backlog.newest.report: backlog for backlog in backlogs(letters.warehouse)}

    assert {report: backlog.count for report, backlog in found.items()} == {"a": 2, None: 1}
    assert found["a"].newest == known["a2"]


def test_a_warehouse_of_before_gets_the_columns_it_lacks(
    source_db: psycopg.Connection[Any], staging_bucket: Bucket
) -> None:
    ensure_schema(source_db)
    source_db.execute("ALTER TABLE reporting.dead_letter DROP COLUMN bytes, DROP COLUMN settled_by")

    ensure_schema(source_db)

    assert "settled_by" in DDL.read_text(encoding="utf-8")
    assert some(DeadLetters(source_db, staging_bucket))
