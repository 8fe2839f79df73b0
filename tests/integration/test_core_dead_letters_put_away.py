"""Dead letters are put away with their message, and forgotten after some time."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import psycopg
import pytest

from reporting.core.service.broker import Broker
from reporting.core.service.dead_letters import DeadLetters, refusals
from reporting.core.warehouse.dead_letters import STATES, Wanted
from reporting.errors import InputError

pytestmark = pytest.mark.integration


def test_what_was_put_away_is_gone_and_stays_so(letters: DeadLetters, broker: Broker) -> None:
    letters._keep({"queue": "q"}, None, b"no sense")
    (letter,) = letters.listed(Wanted())
    number = letter.dead_letter_id
    letters.discard(number)

    assert letters.bucket.get(letter.payload) is None
    assert letters.listed(Wanted()) == []
    assert letters.beginning(letters.one(number)) is None
    with pytest.raises(InputError, match="discarded already"):
        letters.discard(number)
    with pytest.raises(InputError, match="discarded already"):
        letters.replay(broker, number, lambda run: run)


def test_of_several_all_are_done_but_those_that_are_refused(letters: DeadLetters) -> None:
    for body in (b"a", b"b", b"c"):
        letters._keep({"queue": "q"}, None, body)
    one, two, three = (letter.dead_letter_id for letter in letters.listed(Wanted()))
    letters.discard(two)

    refused = refusals(letters.discard, [one, two, 999, three])

    assert refused == {
        two: f"Dead letter {two} was discarded already.",
        999: "There is no dead letter 999.",
    }
    assert letters.count(Wanted()) == 0


def test_equal_messages_on_two_queues_are_two_letters_with_a_message_each(
    letters: DeadLetters,
) -> None:
    for queue in ("q1", "q2"):
        letters._keep({"queue": queue}, None, b"the same")
    first, second = letters.listed(Wanted(), order="oldest")

    letters.discard(first.dead_letter_id)

    assert letters.message(second) == b"the same"


def test_settled_letters_are_removed_after_their_time_with_their_messages(
    letters: DeadLetters, warehouse: psycopg.Connection[Any]
) -> None:
    for body in (b"old", b"new", b"waits"):
        letters._keep({"queue": "q"}, None, body)
    waits, new, old = letters.listed(Wanted())
    for letter in (new, old):
        # Sent again, so that the message is kept still.
        warehouse.execute(
            "UPDATE reporting.dead_letter SET state = 'replayed', settled_at = now() "
            "WHERE dead_letter_id = %s",
            (letter.dead_letter_id,),
        )
    for letter in (old, waits):
        warehouse.execute(
            "UPDATE reporting.dead_letter SET settled_at = settled_at - interval '8 days', "
            "last_at = last_at - interval '8 days' WHERE dead_letter_id = %s",
            (letter.dead_letter_id,),
        )

    assert letters.remove_settled(timedelta(days=7)) == 1

    left = letters.listed(Wanted(states=STATES))
    assert {letter.dead_letter_id for letter in left} == {new.dead_letter_id, waits.dead_letter_id}
    assert letters.bucket.get(old.payload) is None
    assert letters.message(new) == b"new"
