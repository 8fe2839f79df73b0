"""What is known of a dead message, and what an alert says of it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reporting.core.dead_letter_text import subject_of, text_of
from reporting.core.service.dead_facts import LONGEST, dead_facts
from reporting.core.warehouse.dead_letters import Backlog, DeadLetter, payload_key
from reporting.queues import LOOKS, TRIES

pytestmark = pytest.mark.unit

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)


def death(reason: str, queue: str) -> dict[str, Any]:
    return {"x-death": [{"reason": reason, "queue": queue, "count": 1, "time": NOON}]}


@pytest.mark.parametrize(
    ("queue", "reason", "tries"),
    [
        ("planes", "delivery_limit", TRIES + 1),
        ("reports.reply.k", "delivery_limit", LOOKS + 1),
        ("planes", "rejected", 1),
    ],
)
def test_tries_are_those_of_the_queue(queue: str, reason: str, tries: int) -> None:
    assert dead_facts(death(reason, queue), None, b"").tries == tries


def test_a_death_is_known_again_but_not_mixed_up_with_the_next() -> None:
    first = dead_facts(death("rejected", "q"), None, b"")
    again = dead_facts(death("rejected", "q"), None, b"")
    next_one = dead_facts({**death("rejected", "q"), "tries": 1}, None, b"")

    assert first.death == again.death
    assert first.death != next_one.death
    assert first.at == NOON


def test_the_key_of_a_reply_is_in_the_name_of_its_queue() -> None:
    assert dead_facts({"queue": "reports.reply.k1"}, None, b"no json").key == "k1"
    assert dead_facts({"queue": "q"}, "reports.reply.k2", b"no json").key == "k2"
    assert dead_facts({"queue": "q"}, None, b"no json").key == ""


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.binary() | st.datetimes(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)
NAMES = st.sampled_from(
    ["x-death", "dead_at", "reason", "queue", "source", "report", "run_id", "tries", "event"]
)


@given(st.dictionaries(NAMES, ANYTHING), st.none() | st.text(), st.binary())
def test_f55_nothing_in_a_message_makes_it_fail(
    headers: dict[str, Any], reply_to: str | None, body: bytes
) -> None:
    known = dead_facts(headers, reply_to, body)

    assert known.queue
    assert known.tries >= 1
    assert known.at is None or known.at.tzinfo is not None
    texts = (known.source, known.report, known.run_id, known.queue, known.reason, known.event)
    for text in texts:
        # A database, a subject of a mail and a terminal can take it.
        assert text is None or (text.isprintable() and text.encode())
    assert len(known.source or "") <= LONGEST


def a_letter(**changes: Any) -> DeadLetter:
    known: dict[str, Any] = {
        "dead_letter_id": 17, "digest": "d", "queue": "q", "bytes": 1, "reason": "no JSON",
        "source": "planes", "report": "airline", "run_id": "run", "tries": 2, "state": "waiting",
        "first_at": NOON, "last_at": NOON, "settled_at": None, "settled_by": None,
    }  # fmt: skip
    return DeadLetter(**{**known, **changes})


def test_an_alert_says_what_waits_why_and_what_to_do() -> None:
    backlog = Backlog(a_letter(), 3, ("airline",))

    assert subject_of(backlog) == "Dead letters: 3 messages of report airline"
    text = text_of(backlog)
    for said in ("planes", "run", "no JSON", "dead-letters --report airline", "replay 17"):
        assert said in text


def test_an_alert_of_no_known_report_says_so() -> None:
    backlog = Backlog(a_letter(report=None, source=None, run_id=None), 1)

    assert subject_of(backlog) == "Dead letters: 1 message of no known report"
    assert "Run:    unknown" in text_of(backlog)
    assert "replay" not in text_of(backlog)  # nobody could say to what


def test_an_alert_of_an_event_says_what_becomes_of_one_that_is_sent_again() -> None:
    letter = a_letter(source=None, run_id=None, event="planes_loaded", queue="planes.loaded")
    text = text_of(Backlog(letter, 1, ("airline",)))

    for said in ("Event:  planes_loaded", "replay 17", "It comes back, with one try more", "anew"):
        assert said in text
    assert "unknown" not in text


def test_an_alert_to_several_reports_names_them() -> None:
    backlog = Backlog(a_letter(report=None, run_id=None, event="loaded"), 2, ("a", "b"))

    assert subject_of(backlog) == "Dead letters: 2 messages of reports a, b"
    assert "--report" not in text_of(backlog)


def test_each_letter_has_a_message_of_its_own() -> None:
    assert payload_key("d", "q1") != payload_key("d", "q2")
    assert a_letter().payload == payload_key("d", "q")
