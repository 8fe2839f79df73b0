"""Who has kept a sweep waiting for nothing is not waited for again in it."""

from __future__ import annotations

import math
from datetime import timedelta

import pytest

from reporting.core.deadline import NEVER, Deadline, ends_in
from reporting.core.sweep import Sweep
from reporting.errors import TransientError

ANY_TIME, NO_TIME = math.inf, -1.0  # seconds that a failure may take


class Service:
    """Fails, or not, and counts how often it was asked."""

    def __init__(self, *, is_away: bool = True) -> None:
        self.is_away, self.count = is_away, 0

    def __call__(self) -> None:
        self.count += 1
        if self.is_away:
            raise ConnectionError("away")


def test_who_fails_after_too_long_is_asked_once() -> None:
    sweep, service = Sweep(bearable=NO_TIME), Service()
    with pytest.raises(ConnectionError, match="away"):
        sweep.ask("orders_api", service)
    for _ in range(5):
        with pytest.raises(TransientError, match="'orders_api' did not answer earlier"):
            sweep.ask("orders_api", service)

    assert service.count == 1


def test_others_are_asked_all_the_same_and_in_the_next_sweep_so_is_it() -> None:
    sweep, silent, healthy = Sweep(bearable=NO_TIME), Service(), Service(is_away=False)
    with pytest.raises(ConnectionError):
        sweep.ask("orders_api", silent)
    sweep.ask("planes_api", healthy)
    with pytest.raises(ConnectionError):
        Sweep(bearable=NO_TIME).ask("orders_api", silent)

    assert (silent.count, healthy.count) == (2, 1)


def test_a_failure_at_once_may_be_of_one_request_alone() -> None:
    sweep, service = Sweep(bearable=ANY_TIME), Service()
    for _ in range(3):
        with pytest.raises(ConnectionError):
            sweep.ask("orders_api", service)

    assert service.count == 3


def test_who_answers_slowly_is_asked_again() -> None:
    sweep, service = Sweep(bearable=NO_TIME), Service(is_away=False)
    for _ in range(3):
        sweep.ask("orders_api", service)

    assert service.count == 3


def test_when_its_time_is_over_nobody_is_asked() -> None:
    sweep, service = Sweep(ends_in(timedelta(0))), Service()
    with pytest.raises(TransientError, match="'orders_api' was not asked: the time"):
        sweep.ask("orders_api", service)

    assert service.count == 0


def test_a_share_of_the_time_that_is_left() -> None:
    whole = ends_in(timedelta(hours=4))
    assert whole.share(4).at == pytest.approx(whole.at - 3 * 3600, abs=60)
    assert not whole.share(4).is_over()
    assert Deadline(0.0).share(4).is_over()
    assert not NEVER.share(15).is_over()
