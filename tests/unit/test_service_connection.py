"""How a service stays at its broker: pauses that grow and shrink, and addresses it refuses."""

from __future__ import annotations

from itertools import pairwise
from threading import Event

import pytest

from reporting.errors import TerminalError
from reporting.serving import FIRST_PAUSE, LONGEST_PAUSE, STEADY, next_pause, stay_connected

pytestmark = pytest.mark.unit


def test_pauses_grow_up_to_a_limit() -> None:
    pauses = [0.0]
    while pauses[-1] < LONGEST_PAUSE:
        pauses.append(next_pause(pauses[-1], held=0.0))

    assert pauses[1] == FIRST_PAUSE
    assert all(before < after for before, after in pairwise(pauses))
    assert next_pause(LONGEST_PAUSE, held=0.0) == LONGEST_PAUSE


def test_a_connection_that_held_is_missed_at_once_and_one_that_broke_is_not() -> None:
    assert next_pause(LONGEST_PAUSE, held=STEADY) == FIRST_PAUSE
    assert next_pause(LONGEST_PAUSE, held=1.0) == LONGEST_PAUSE


@pytest.mark.parametrize(
    "url",
    ["", "nonsense", "http://u:S3CR3T@host/v", "amqp://u:S3/CR3T@host:5672/v", "amqp://h:99999/v"],
)
def test_what_is_no_url_of_a_broker_is_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(TerminalError, match="allowed: amqp://user:password@host") as caught:
        stay_connected(url, Event(), lambda _: pytest.fail("it cannot be connected"))

    assert "S3" not in str(caught.value)
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
