"""The markers of the fault harness: each is used up by one process."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Thread

import pytest

from tests.faults import markers as module
from tests.faults.markers import Markers

pytestmark = pytest.mark.unit

WHERE = ("r", "backfill__2000-01-02T00:00:00+00:00", "fetch_orders", "part")
LAID = ("fetch_orders", "part", "kill")


@pytest.fixture
def markers(tmp_path: Path) -> Markers:
    """Markers with one for the task."""
    made = Markers(tmp_path)
    made.lay(*WHERE[:2], LAID)
    return made


def test_one_of_many_gets_a_marker(markers: Markers) -> None:
    with ThreadPoolExecutor(8) as pool:
        taken = list(pool.map(lambda _: markers.take(*WHERE), range(40)))

    assert sorted(filter(None, taken)) == ["kill"]
    assert markers.has_struck(*WHERE)


def replaced(at: int) -> tuple[str, str, str, str]:
    where = list(WHERE)
    where[at] = "another"
    return where[0], where[1], where[2], where[3]


def test_a_marker_is_for_its_run_task_and_point_alone(markers: Markers) -> None:
    others = [replaced(at) for at in range(4)]

    assert [markers.take(*where) for where in others] == [None] * 4
    assert not markers.has_struck(*WHERE)


def test_the_points_of_a_task_are_those_still_asked_for(markers: Markers) -> None:
    markers.lay("r", "another run", ("fetch_orders", "held", "kill"))
    markers.lay("r", "another run", ("fetch_orders_more", "claimed", "kill"))

    assert markers.points("r", "fetch_orders") == {"part", "held"}
    markers.take(*WHERE)
    assert markers.points("r", "fetch_orders") == {"held"}


def test_who_is_held_goes_on_when_it_is_let_go(markers: Markers) -> None:
    held = Thread(target=markers.hold, args=WHERE)
    held.start()
    held.join(0.2)
    assert held.is_alive()

    markers.let_go(*WHERE)
    held.join(10)

    assert not held.is_alive()


def test_who_is_forgotten_goes_on_too(markers: Markers, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LONGEST_HOLD", 0.2)
    began = time.monotonic()

    markers.hold(*WHERE)

    assert time.monotonic() - began >= 0.2
