"""Messages that die with headers nobody would send: each is kept, and hides no other (F55)."""

from __future__ import annotations

import struct
from datetime import UTC, datetime, timedelta
from typing import Any

import pika
import pytest

from reporting.core.service.broker import Broker
from reporting.core.service.dead_letters import DeadLetters
from reporting.core.warehouse.dead_letters import backlogs
from reporting.queues import DEAD
from tests.integration.dead_messages import collected, set_aside

pytestmark = pytest.mark.integration

AT = "2024-05-01T06:00:00+00:00"
HEADERS: list[dict[str, Any]] = [
    {"dead_at": AT, "tries": "\0"},
    {"deliveries": 2**40},
    {"dead_at": "0001-01-01T00:00:00+14:00"},
    {"dead_at": "9999-12-31T23:59:59-14:00"},
    {"dead_at": "9999-12-31T23:59:59+00:00"},
    {"x-death": [{"time": datetime(9999, 1, 1), "reason": "\0", "queue": "\0"}]},  # noqa: DTZ001
    {"queue": "a\0b", "report": "\0", "source": ["x"], "run_id": {"a": 1}},
]


class Raw(str):
    """A header that pika would not send: its type and its bytes."""

    __slots__ = ()


ENDLESS = Raw("T" + "\xff" * 8)  # a date
DEEP = Raw("A" + "\0\0\0\0")  # replaced by lists in lists


@pytest.fixture
def _sends_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    known = pika.data.encode_value

    def encode(pieces: list[bytes], value: Any) -> int:
        if not isinstance(value, Raw):
            return int(known(pieces, value))
        raw = value.encode("latin-1")
        if value == DEEP:
            raw = b""
            for _ in range(2000):
                raw = b"A" + struct.pack(">I", len(raw)) + raw
        pieces.append(raw)
        return len(raw)

    monkeypatch.setattr(pika.data, "encode_value", encode)


def die(broker: Broker, headers: dict[str, Any], body: bytes) -> None:
    with broker.channel() as channel:
        channel.basic_publish("", DEAD, body, pika.BasicProperties(headers=headers))


@pytest.mark.parametrize("headers", HEADERS, ids=[str(one)[:40] for one in HEADERS])
def test_f55_no_header_keeps_a_message_from_being_kept(
    broker: Broker, letters: DeadLetters, headers: dict[str, Any]
) -> None:
    set_aside(broker, b"good", reason="no JSON")
    die(broker, headers, b"hostile")
    set_aside(broker, b"later", reason="no JSON")

    found = collected(broker, letters)

    assert sorted(letters.message(one) for one in found) == [b"good", b"hostile", b"later"]
    now = datetime.now(UTC)
    assert all(one.first_at <= now + timedelta(seconds=1) for one in found)


def test_f55_a_letter_from_the_future_hides_none_that_come(
    broker: Broker, letters: DeadLetters
) -> None:
    set_aside(broker, b"first", reason="no JSON")
    die(broker, {"dead_at": "5000-01-01T00:00:00+00:00"}, b"future")
    collected(broker, letters)
    set_aside(broker, b"later", reason="no JSON")
    collected(broker, letters)

    (backlog,) = backlogs(letters.warehouse)
    assert letters.message(backlog.newest) == b"later"


def test_f55_tries_that_nobody_makes_are_not_added_up(broker: Broker, letters: DeadLetters) -> None:
    for _ in range(2):
        set_aside(broker, b"again", reason="no JSON", deliveries=2**31 - 1)

    (letter,) = collected(broker, letters)
    assert letter.tries == 2


def test_f55_a_body_with_an_endless_exponent_is_kept(broker: Broker, letters: DeadLetters) -> None:
    set_aside(broker, b'{"version": 1, "a": 1e99999999999999999999}', reason="no JSON")

    assert len(collected(broker, letters)) == 1


@pytest.mark.usefixtures("_sends_anything")
@pytest.mark.parametrize("header", [ENDLESS, DEEP], ids=["date", "lists"])
def test_f55_headers_that_cannot_be_read_block_no_queue(
    broker: Broker, letters: DeadLetters, header: Raw
) -> None:
    """Without a thought of them the connection ends, and the message comes again, for ever."""
    set_aside(broker, b"good", reason="no JSON")
    die(broker, {"x": header}, b"hostile")
    set_aside(broker, b"later", reason="no JSON")

    found = collected(broker, letters)

    assert sorted(letters.message(one) for one in found) == [b"good", b"hostile", b"later"]
