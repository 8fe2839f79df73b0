"""Several dead letters at once: each is told of, also when something goes away in between."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from reporting.core.service.dead_letters import refusals
from reporting.errors import InputError, IntegrityError, TransientError

pytestmark = pytest.mark.unit


def acting(done: list[int], faults: Mapping[int, Exception]) -> Callable[[int], None]:
    def act(number: int) -> None:
        if number in faults:
            raise faults[number]
        done.append(number)

    return act


def test_those_that_are_refused_stop_no_other() -> None:
    done: list[int] = []
    faults = {2: InputError("settled"), 3: IntegrityError("no request record")}
    refused = refusals(acting(done, faults), [1, 2, 3, 4])
    assert refused == {2: "settled", 3: "no request record"}
    assert done == [1, 4]


def test_what_goes_away_in_between_is_told_of_all_that_are_left() -> None:
    done: list[int] = []
    faults = {2: InputError("settled"), 4: TransientError("the broker is away")}
    refused = refusals(acting(done, faults), [1, 2, 3, 4, 5, 6])
    assert done == [1, 3]
    assert refused == {2: "settled"} | dict.fromkeys((4, 5, 6), "the broker is away")


def test_what_is_away_from_the_first_is_an_error() -> None:
    with pytest.raises(TransientError):
        refusals(acting([], {1: TransientError("the broker is away")}), [1, 2])
