"""Dead letters are sent again, once, and only while somebody waits for them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from threading import Barrier, Thread
from typing import Any

import psycopg
import pytest

from reporting.core.run import RunId
from reporting.core.service.asking import end_request
from reporting.core.service.broker import Broker, forget_replies
from reporting.core.service.dead_letters import DeadLetters
from reporting.core.service.inbox import Inbox
from reporting.core.service.receiving import receive
from reporting.core.service.request_record import RequestRecords
from reporting.core.warehouse.dead_letters import DeadLetter, Wanted
from reporting.errors import InputError, TransientError
from reporting.queues import TRIES
from tests.integration.dead_messages import collected, fail_until_dead, open_record, send_asked
from tests.integration.message_service import publish, serving, waiting

pytestmark = pytest.mark.integration
of_both_kinds = pytest.mark.parametrize("letter", ["given_up", "no_sense"], indirect=True)


def still(run: RunId) -> RunId | None:
    """Say that every run works, in its first life."""
    return run


@pytest.fixture
def given_up(broker: Broker, letters: DeadLetters, asked: Inbox, queue: str) -> DeadLetter:
    """A request that its service gave up."""
    send_asked(broker, asked, queue)
    fail_until_dead(broker, queue)
    (letter,) = collected(broker, letters)
    return letter


@pytest.fixture
def no_sense(broker: Broker, letters: DeadLetters, asked: Inbox, queue: str) -> DeadLetter:
    """A reply that was set aside."""
    send_asked(broker, asked, queue)
    with broker.channel() as channel:
        publish(channel, f"reports.reply.{asked.key}", b"not json")
        receive(channel, asked)
        channel.queue_purge(queue)
    (letter,) = collected(broker, letters)
    return letter


def test_a_request_that_is_sent_again_is_answered(
    broker: Broker, letters: DeadLetters, asked: Inbox, given_up: DeadLetter
) -> None:
    replace(letters, by="ann").replay(broker, given_up.dead_letter_id, still)

    with serving(broker, given_up.queue, lambda _: [{"id": 1}]):
        waiting(broker, f"reports.reply.{asked.key}", 1)
    settled = letters.one(given_up.dead_letter_id)
    assert (settled.state, settled.settled_by) == ("replayed", "ann")
    assert settled.settled_at is not None
    with pytest.raises(InputError, match="replayed already"):
        letters.replay(broker, given_up.dead_letter_id, still)


def test_one_that_dies_again_goes_on_counting(
    broker: Broker, letters: DeadLetters, given_up: DeadLetter
) -> None:
    letters.replay(broker, given_up.dead_letter_id, still)
    fail_until_dead(broker, given_up.queue)

    (again,) = collected(broker, letters)

    assert again.dead_letter_id == given_up.dead_letter_id
    assert again.tries == 2 * (TRIES + 1)
    assert (again.settled_at, again.settled_by) == (None, None)


def test_a_reply_goes_back_to_the_run_that_waits(
    broker: Broker, letters: DeadLetters, no_sense: DeadLetter, asked: Inbox
) -> None:
    letters.replay(broker, no_sense.dead_letter_id, still)

    waiting(broker, f"reports.reply.{asked.key}", 1)


@pytest.fixture
def letter(request: pytest.FixtureRequest) -> DeadLetter:
    """A letter of each of the two kinds."""
    found: DeadLetter = request.getfixturevalue(request.param)
    return found


def ended(records: RequestRecords) -> None:
    end_request(records, open_record(records.run), "cancelled")


def asked_anew(records: RequestRecords) -> None:
    records.write(replace(open_record(records.run), number=2))


def forgotten(records: RequestRecords) -> None:
    records.forget("orders")


Move = Callable[[RequestRecords], None]
MOVED: list[tuple[Move, str]] = [
    (ended, "its request has ended: cancelled"),
    (asked_anew, "source 'orders' has asked anew since"),
    (forgotten, "nothing is known any more of what run run has asked"),
]


@pytest.fixture
def why(request: pytest.FixtureRequest, records: RequestRecords, letter: DeadLetter) -> str:
    """Let the run move on after its letter was written; return what is said of that."""
    assert letter
    move, said = request.param
    move(records)
    return str(said)


@of_both_kinds
@pytest.mark.parametrize("why", MOVED, indirect=True)
def test_one_whose_task_has_moved_on_is_refused_with_the_reason(
    broker: Broker, letters: DeadLetters, letter: DeadLetter, why: str
) -> None:
    with pytest.raises(InputError, match=why):
        letters.replay(broker, letter.dead_letter_id, still)

    assert letters.one(letter.dead_letter_id).state == "waiting"


@of_both_kinds
def test_one_whose_run_is_over_is_refused_with_the_reason(
    broker: Broker, letters: DeadLetters, letter: DeadLetter
) -> None:
    with pytest.raises(InputError, match="run run is over"):
        letters.replay(broker, letter.dead_letter_id, lambda _: None)


@of_both_kinds
@pytest.mark.parametrize("now", [{"clear_number": 1}, {"started": "2024-05-02"}])
def test_one_is_sent_though_another_task_of_its_run_was_cleared(
    broker: Broker, letters: DeadLetters, letter: DeadLetter, now: dict[str, Any]
) -> None:
    """The fetch still waits, by the record of the life in which it has asked."""
    letters.replay(broker, letter.dead_letter_id, lambda run: replace(run, **now))

    assert letters.one(letter.dead_letter_id).state == "replayed"


@of_both_kinds
def test_one_whose_reply_queue_is_gone_is_refused(
    broker: Broker, letters: DeadLetters, asked: Inbox, letter: DeadLetter
) -> None:
    with broker.channel() as channel:
        forget_replies(channel, asked.key)

    with pytest.raises(InputError, match=r"reply.* is gone"):
        letters.replay(broker, letter.dead_letter_id, still)


def test_one_whose_service_is_gone_is_refused(
    broker: Broker, letters: DeadLetters, given_up: DeadLetter
) -> None:
    with broker.channel() as channel:
        channel.queue_delete(given_up.queue)

    with pytest.raises(InputError, match="is gone"):
        letters.replay(broker, given_up.dead_letter_id, still)


def test_one_of_an_unknown_run_is_refused(broker: Broker, letters: DeadLetters) -> None:
    letters._keep({"queue": "q"}, None, b"not json")
    (letter,) = letters.listed(Wanted())

    with pytest.raises(InputError, match="not known which run"):
        letters.replay(broker, letter.dead_letter_id, still)


def test_a_broker_that_is_away_leaves_the_letter_waiting(
    broker: Broker, letters: DeadLetters, given_up: DeadLetter
) -> None:
    with pytest.raises(TransientError, match="Broker"):
        letters.replay(replace(broker, port=1), given_up.dead_letter_id, still)

    assert letters.one(given_up.dead_letter_id).state == "waiting"


def test_of_two_who_replay_at_once_one_sends(
    broker: Broker, letters: DeadLetters, given_up: DeadLetter, database: str
) -> None:
    start, refused = Barrier(2), list[str]()

    def press() -> None:
        with psycopg.connect(database, autocommit=True) as own:
            start.wait()
            try:
                replace(letters, warehouse=own).replay(broker, given_up.dead_letter_id, still)
            except InputError as error:
                refused.append(str(error))

    people = [Thread(target=press) for _ in range(2)]
    for one in people:
        one.start()
    for one in people:
        one.join()

    assert refused == [f"Dead letter {given_up.dead_letter_id} was replayed already."]
    waiting(broker, given_up.queue, 1)


def test_a_crash_after_the_sending_sends_again_and_the_report_knows_the_double(
    broker: Broker, letters: DeadLetters, given_up: DeadLetter, database: str, asked: Inbox
) -> None:
    number = given_up.dead_letter_id
    with psycopg.connect(database, autocommit=True) as dying:
        pid = dying.info.backend_pid

        def cut(run: RunId) -> RunId:
            letters.warehouse.execute("SELECT pg_terminate_backend(%s)", (pid,))
            return run

        with pytest.raises(psycopg.OperationalError):
            replace(letters, warehouse=dying).replay(broker, number, cut)
    waiting(broker, given_up.queue, 1)
    assert letters.one(number).state == "waiting"

    letters.replay(broker, number, still)

    with serving(broker, given_up.queue, lambda _: [{"id": 1}]):
        waiting(broker, f"reports.reply.{asked.key}", 2)
    with broker.channel() as channel:
        receive(channel, asked)
    assert [reply.rows for reply in asked.parts()] == [[{"id": 1}]]
    assert collected(broker, letters) == []
