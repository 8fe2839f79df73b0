"""R18: work that no longer moves is ended and says how far it was; what moves is left alone."""

from __future__ import annotations

import select
import signal
import threading
from contextlib import suppress
from datetime import timedelta

import pytest

from reporting.core.progress import Progress
from reporting.core.stall import SIGNAL, ended_when_stalled
from reporting.errors import TransientError

pytestmark = pytest.mark.unit
SOON, NEVER = timedelta(seconds=0.05), timedelta(days=1)


def hang() -> None:
    """Wait for what never comes, as for the answer of a server."""
    select.select([], [], [], 30)
    pytest.fail("it was not ended")


def test_what_hangs_is_ended_and_says_how_far_it_was() -> None:
    progress = Progress("orders")
    progress(12_345, 6_700_000)
    with pytest.raises(TransientError) as caught, ended_when_stalled("orders", progress, SOON):
        hang()

    assert str(caught.value) == (
        "Source 'orders': no progress for 0:00:00.050000; 12,345 rows so far, 6.7 MB when it was "
        "ended. Nothing was committed. If it needs that long, raise the source's stalled_after."
    )


def test_no_handler_of_errors_on_the_way_out_takes_it() -> None:
    def library() -> None:
        with suppress(Exception):
            hang()
        pytest.fail("it was taken for an error of the library")

    progress = Progress("orders")
    with (
        pytest.raises(TransientError, match="no progress"),
        ended_when_stalled("orders", progress, SOON),
    ):
        library()


def test_what_moves_is_left_alone_however_long_it_takes() -> None:
    """By the clock of the test, each batch comes just in time."""
    now = [0.0]
    progress = Progress("orders", lambda: now[0])
    with ended_when_stalled("orders", progress, timedelta(seconds=10)):
        for batch in range(100):
            now[0] += 9.9
            assert progress.left(10) == pytest.approx(0.1)
            progress(batch, batch)
            assert progress.left(10) == pytest.approx(10)


def test_what_ends_is_not_disturbed_afterwards() -> None:
    before = signal.getsignal(SIGNAL)
    for _ in range(200):
        with (
            suppress(TransientError),  # the strike may come in the last instant
            ended_when_stalled("orders", Progress("orders"), timedelta(seconds=0.0005)),
        ):
            pass
    assert signal.getsignal(SIGNAL) is before
    for thread in threading.enumerate():
        if thread.name == "stall":
            thread.join(30)
            assert not thread.is_alive()


def test_an_error_of_the_work_is_raised_as_it_is() -> None:
    with (
        pytest.raises(ZeroDivisionError),
        ended_when_stalled("orders", Progress("orders"), NEVER),
    ):
        _ = 1 / 0


def test_elsewhere_than_in_the_main_thread_nothing_is_ended() -> None:
    done: list[bool] = []

    def work() -> None:
        with ended_when_stalled("orders", Progress("orders"), timedelta(seconds=0)):
            done.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(30)
    assert done == [True]
